/** An agent that uses Cofferdam's own tools. Its paths are relative to the served directory, which saves tokens. */

export const cofferdam = {
  /** One search finds all lines, and one patch changes all files. */
  async typo(conversation, { wrong, right }) {
    const { text } = await conversation.ask('grep_files', { pattern: wrong });
    await conversation.ask('apply_patch', {
      patch: linePatch(text, (line) => line.replaceAll(wrong, right)),
    });
  },

  async rename(conversation, { from, to }) {
    const word = `\\b${from}\\b`;
    const { text } = await conversation.ask('grep_files', { pattern: word });
    const changed = (line) => line.replace(new RegExp(word, 'g'), to);
    await conversation.ask('apply_patch', { patch: linePatch(text, changed) });
  },

  middle: (conversation, { name, first, count }) =>
    conversation.ask('read_text_file', { path: name, offset: first, limit: count }),

  uses: (conversation, { functionName }) =>
    conversation.ask('grep_files', { pattern: `\\b${functionName}\\(` }),

  patch: (conversation, { patch }) => conversation.ask('apply_patch', { patch }),

  change: (conversation, { name, before, after }) =>
    conversation.ask('edit_file', { path: name, edits: [{ oldText: before, newText: after }] }),

  async undo(conversation) {
    const { text } = await conversation.ask('history', { limit: 3 });
    // Each entry has a line that begins with its name, and indented lines for its files.
    const entries = text.split('\n').filter((line) => /^\w/.test(line));
    await conversation.ask('undo', { entry: entries[2].split(' ')[0] });
  },

  /** Every answer but the last ends with the call that continues. */
  async listing(conversation, { directory }) {
    let call = ['list_directory', { path: directory }];
    while (call) {
      const { text } = await conversation.ask(...call);
      const next = /next: (\w+) (\{.*\})\]$/.exec(text.trimEnd());
      call = next ? [next[1], JSON.parse(next[2])] : undefined;
    }
  },

  image: (conversation, { name }) => conversation.ask('read_media_file', { path: name }),

  utf16: (conversation, { name, before, after }) =>
    conversation.ask('edit_file', { path: name, edits: [{ oldText: before, newText: after }] }),

  async denied(conversation, { secret, outside }) {
    await conversation.ask('read_text_file', { path: secret });
    await conversation.ask('read_text_file', { path: outside });
  },
};

/** The same server where the operator lets agents run commands. The agent then changes many files with the shell. */
export const cofferdamWithCommands = {
  ...cofferdam,
  needs: 'run_command',

  typo: (conversation, { wrong, right }) =>
    conversation.ask('run_command', {
      command: `grep -rl ${wrong} . | xargs sed -i 's/${wrong}/${right}/g'`,
    }),

  rename: (conversation, { from, to }) =>
    conversation.ask('run_command', {
      command: `grep -rlw ${from} . | xargs sed -i 's/\\b${from}\\b/${to}/g'`,
    }),
};

/** A patch that changes the lines a search found. The search shows `path`, then `12: text` for each line. */
function linePatch(found, changed) {
  const lines = found.trimEnd().split('\n').slice(1);
  const parts = lines.map((line) => {
    const hit = /^\d+: (.*)$/.exec(line);
    return hit ? `@@\n-${hit[1]}\n+${changed(hit[1])}` : `*** Update File: ${line}`;
  });
  return ['*** Begin Patch', ...parts, '*** End Patch', ''].join('\n');
}
