/**
 * @shtse8/filesystem-mcp searches contents and leaves node_modules out. It replaces by regular expression in all files
 * that a call names. Its paths are relative to the directory that it was started in.
 */

export const shtse8 = {
  async typo(conversation, { wrong, right }) {
    await replaceAll(conversation, wrong, right);
  },

  rename: (conversation, { from, to }) => replaceAll(conversation, `\\b${from}\\b`, to),

  /** It can only read whole files. */
  middle: (conversation, { name }) => conversation.ask('read_content', { paths: [name] }),

  uses: (conversation, { functionName }) => search(conversation, `${functionName}\\(`),

  async patch(conversation, { hunks }) {
    for (const name of new Set(hunks.map((hunk) => hunk.name))) {
      const operations = hunks
        .filter((hunk) => hunk.name === name)
        .map(({ before, after }) => ({ search: before, replace: after }));
      await conversation.ask('replace_content', { paths: [name], operations });
    }
  },

  listing: (conversation, { directory }) => conversation.ask('list_files', { path: directory }),

  image: (conversation, { name }) => conversation.ask('read_content', { paths: [name] }),

  utf16: (conversation, { name, before, after }) =>
    conversation.ask('replace_content', { paths: [name], operations: [{ search: before, replace: after }] }),

  async denied(conversation, { secret, outside }) {
    await conversation.ask('read_content', { paths: [secret] });
    await conversation.ask('read_content', { paths: [outside] });
  },
};

async function replaceAll(conversation, pattern, replace) {
  const paths = [...new Set((await search(conversation, pattern)).map(({ file }) => file))];
  const operations = [{ search: pattern, replace, use_regex: true }];
  await conversation.ask('replace_content', { paths, operations });
}

async function search(conversation, regex) {
  const { text } = await conversation.ask('search_files', { path: '.', regex, file_pattern: '**/*.ts' });
  return JSON.parse(text);
}
