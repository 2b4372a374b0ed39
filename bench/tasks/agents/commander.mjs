/**
 * Desktop Commander has a shell, with which an agent changes many files in one call. Its own edits change one place per
 * call, and its search takes two calls or more, so the shell is the better way to search as well.
 */

export const commander = {
  typo: (conversation, { folder, wrong, right }) =>
    shell(conversation, `cd ${folder} && grep -rl ${wrong} . | xargs sed -i 's/${wrong}/${right}/g'`),

  rename: (conversation, { folder, from, to }) =>
    shell(conversation, `cd ${folder} && grep -rlw ${from} . | xargs sed -i 's/\\b${from}\\b/${to}/g'`),

  middle: (conversation, { path, name, first, count }) =>
    conversation.ask('read_file', { path: path(name), offset: first - 1, length: count }),

  uses: (conversation, { folder, functionName }) =>
    shell(conversation, `cd ${folder} && grep -rn --exclude-dir=node_modules '${functionName}(' .`),

  /** patch(1) refuses hunks with wrong counts, so each hunk becomes an edit. */
  async patch(conversation, { path, hunks }) {
    for (const { name, before, after } of hunks) await edit(conversation, path(name), before, after);
  },

  change: (conversation, { path, name, before, after }) => edit(conversation, path(name), before, after),

  /** It remembers the calls of this run with their arguments, so an agent can make the reverse edit. */
  async undo(conversation) {
    const { text } = await conversation.ask('get_recent_tool_calls', {
      maxResults: 3,
      toolName: 'edit_block',
    });
    const [third] = JSON.parse(text.slice(text.indexOf('[')));
    const { file_path, old_string, new_string } = third.arguments;
    await edit(conversation, file_path, new_string, old_string);
  },

  /** Its own listing stops at 100 entries of a nested directory. */
  listing: (conversation, { path, directory }) =>
    conversation.ask('list_directory', { path: path(directory), depth: 1 }),

  image: (conversation, { path, name }) => conversation.ask('read_file', { path: path(name) }),

  /** Its edits take UTF-8 only, so a one-line program makes the change. */
  utf16: (conversation, { path, name, before, after }) => {
    const program = [
      `const fs = require('fs'), f = '${path(name)}'`,
      `fs.writeFileSync(f, fs.readFileSync(f, 'utf16le').replace('${before}', '${after}'), 'utf16le')`,
    ].join('; ');
    return shell(conversation, `node -e "${program}"`);
  },

  async denied(conversation, { path, secret, outside }) {
    await conversation.ask('read_file', { path: path(secret) });
    await conversation.ask('read_file', { path: outside });
  },
};

function edit(conversation, path, before, after) {
  return conversation.ask('edit_block', { file_path: path, old_string: before, new_string: after });
}

async function shell(conversation, command) {
  const { text } = await conversation.ask('start_process', { command, timeout_ms: 10_000 });
  const pid = Number(/PID (\d+)/.exec(text)?.[1]);
  if (!text.includes('still be running')) return;
  await conversation.ask('read_process_output', { pid, timeout_ms: 10_000 });
}
