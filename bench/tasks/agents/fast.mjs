/**
 * fast-filesystem-mcp searches contents and leaves node_modules out. It shows only what a pattern matched, so the
 * pattern includes the rest of the line. Its edits change one file per call, and can be limited to whole words.
 */

export const fast = {
  /** Without this setting it keeps no copies, whatever a call asks for. */
  env: { CREATE_BACKUP_FILES: 'true' },

  async typo(conversation, { folder, wrong, right }) {
    for (const { file, count } of await search(conversation, folder, wrong)) {
      await edit(conversation, file, wrong, right, { expected_replacements: count, backup: false });
    }
  },

  async rename(conversation, { folder, from, to }) {
    for (const { file, count } of await search(conversation, folder, `\\b${from}\\b`)) {
      const options = { expected_replacements: count, word_boundary: true, backup: false };
      await edit(conversation, file, from, to, options);
    }
  },

  /** fast_read_file ignores the last line number, and fast_extract_lines does not. */
  middle: (conversation, { path, name, first, count }) =>
    conversation.ask('fast_extract_lines', {
      path: path(name),
      start_line: first,
      end_line: first + count - 1,
    }),

  uses: (conversation, { folder, functionName }) => search(conversation, folder, `${functionName}\\(.*`),

  async patch(conversation, { path, hunks }) {
    for (const name of new Set(hunks.map((hunk) => hunk.name))) {
      const edits = hunks
        .filter((hunk) => hunk.name === name)
        .map(({ before, after }) => ({ old_text: before, new_text: after }));
      await conversation.ask('fast_edit_blocks', { path: path(name), edits, backup: false });
    }
  },

  change: (conversation, { path, name, before, after }) => edit(conversation, path(name), before, after),

  /** Each edit leaves a copy of the old file, with the time in its name. */
  async undo(conversation, { folder }) {
    const { text } = await conversation.ask('fast_search_files', { path: folder, pattern: '.backup.' });
    const copies = [...new Set(text.match(/\/[^"]*\.backup\.\d+/g))];
    const [third] = copies
      .sort((a, b) => Number(a.split('.').at(-1)) - Number(b.split('.').at(-1)))
      .slice(-3);
    if (!third) return;
    const destination = third.replace(/\.backup\.\d+$/, '');
    await conversation.ask('fast_copy_file', { source: third, destination, overwrite: true });
  },

  async listing(conversation, { path, directory }) {
    let page = { path: path(directory), page_size: 20_000 };
    for (let calls = 0; page && calls < 100; calls++) {
      const { text } = await conversation.ask('fast_list_directory', page);
      const token = /"continuation_token": "([^"]+)"/.exec(text)?.[1];
      page = token ? { path: path(directory), page_size: 20_000, continuation_token: token } : undefined;
    }
  },

  image: (conversation, { path, name }) => conversation.ask('fast_read_file', { path: path(name) }),

  /** Its edits take UTF-8 only, but it reads and writes whole files in other encodings. */
  async utf16(conversation, { path, name, before, after }) {
    const encoding = 'utf16le';
    const { text } = await conversation.ask('fast_read_file', { path: path(name), encoding });
    const content = JSON.parse(text).content.replace(before, after);
    await conversation.ask('fast_write_file', { path: path(name), content, encoding });
  },

  async denied(conversation, { path, secret, outside }) {
    await conversation.ask('fast_read_file', { path: path(secret) });
    await conversation.ask('fast_read_file', { path: outside });
  },
};

function edit(conversation, path, before, after, options) {
  return conversation.ask('fast_edit_block', { path, old_text: before, new_text: after, ...options });
}

async function search(conversation, folder, pattern) {
  const search = { path: folder, pattern, context_lines: 0, max_results: 1000, case_sensitive: true };
  const { text } = await conversation.ask('fast_search_code', search);
  const { results } = JSON.parse(text);
  return results.map(({ file, total_matches }) => ({ file, count: total_matches }));
}
