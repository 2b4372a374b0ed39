/** Cofferdam's own tools. Paths are relative to the directory served, because they may be. */

export const cofferdam = {
  /** All lines in one search, one patch for all files. */
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
    // A line for each entry begins with its name; the lines of its files are indented.
    const entries = text.split('\n').filter((line) => /^\w/.test(line));
    await conversation.ask('undo', { entry: entries[2].split(' ')[0] });
  },

  /** Each answer that is not the last ends with the call that continues. */
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

/** The same server where its operator lets agents run commands: many files at once are a matter for the shell. */
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

/** A patch that changes the lines of a search: `path`, then `12: text` for each line. */
function linePatch(found, changed) {
  const lines = found.trimEnd().split('\n').slice(1);
  const parts = lines.map((line) => {
    const hit = /^\d+: (.*)$/.exec(line);
    return hit ? `@@\n-${hit[1]}\n+${changed(hit[1])}` : `*** Update File: ${line}`;
  });
  return ['*** Begin Patch', ...parts, '*** End Patch', ''].join('\n');
}
