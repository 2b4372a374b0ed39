/**
 * The official server does not search contents, so an agent lists the sources and reads all of them in one call. Its
 * edits change several places of one file at once, but each edit changes only the first place with its text.
 */

export const official = {
  async typo(conversation, { folder, wrong, right }) {
    const found = await linesWith(conversation, folder, new RegExp(wrong));
    await editAll(conversation, found, (line) => line.replaceAll(wrong, right));
  },

  async rename(conversation, { folder, from, to }) {
    const word = new RegExp(`\\b${from}\\b`, 'g');
    const found = await linesWith(conversation, folder, new RegExp(word.source));
    await editAll(conversation, found, (line) => line.replace(word, to));
  },

  /** It counts lines only from the start or from the end. */
  middle: (conversation, { path, name, first, count }) =>
    conversation.ask('read_text_file', { path: path(name), head: first + count - 1 }),

  uses: (conversation, { folder, functionName }) =>
    linesWith(conversation, folder, new RegExp(`\\b${functionName}\\(`)),

  /** Sends the hunks of a patch as edits, one call per file. */
  async patch(conversation, { path, hunks }) {
    for (const name of new Set(hunks.map((hunk) => hunk.name))) {
      const edits = hunks
        .filter((hunk) => hunk.name === name)
        .map(({ before, after }) => ({ oldText: before, newText: after }));
      await conversation.ask('edit_file', { path: path(name), edits });
    }
  },

  listing: (conversation, { path, directory }) =>
    conversation.ask('list_directory', { path: path(directory) }),

  image: (conversation, { path, name }) => conversation.ask('read_media_file', { path: path(name) }),

  utf16: (conversation, { path, name, before, after }) =>
    conversation.ask('edit_file', { path: path(name), edits: [{ oldText: before, newText: after }] }),

  async denied(conversation, { path, secret, outside }) {
    await conversation.ask('read_text_file', { path: path(secret) });
    await conversation.ask('read_text_file', { path: outside });
  },
};

async function linesWith(conversation, folder, pattern) {
  const search = { path: folder, pattern: '**/*.ts', excludePatterns: ['**/node_modules/**'] };
  const { text } = await conversation.ask('search_files', search);
  const paths = text.trim().split('\n');
  const { text: contents } = await conversation.ask('read_multiple_files', { paths });
  return contents.split('\n---\n').map((part) => {
    const lines = part.split('\n');
    return { path: lines[0].replace(/:$/, ''), lines: lines.slice(1).filter((line) => pattern.test(line)) };
  });
}

async function editAll(conversation, found, changed) {
  for (const { path, lines } of found) {
    if (lines.length === 0) continue;
    const edits = lines.map((line) => ({ oldText: line, newText: changed(line) }));
    await conversation.ask('edit_file', { path, edits });
  }
}
