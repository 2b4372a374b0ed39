/** Calls of every dialect for the row on memory: searches, edits by regular expression and, now and then, a command. */

export const everyDialect = {
  replay: [
    ['read_file', { path: 'four-kb.txt' }],
    ['grep_files', { regex: 'file (\\d+)', directory: 'many' }],
    [
      'edit_file',
      { path: 'four-kb.txt', edits: [{ oldText: 'l(e)t', newText: '$1', isRegex: true }], dryRun: true },
    ],
    ['glob_search', { directory: 'many', globs: ['*.txt'] }],
    ['execute_command', { command: 'true' }],
  ],
  standard: [
    ['read_text_file', { path: 'four-kb.txt', anchors: true }],
    ['grep_files', { pattern: 'file 7' }],
    ['search_files', { path: 'many', pattern: '*.txt' }],
    ['directory_tree', { path: '.' }],
  ],
  patch: [
    ['write_file', { path: 'own/patch.txt', content: 'x\n' }],
    ['append', { path: 'own/patch.txt', content: 'x\n' }],
    ['shell_exec', { command: 'cat', args: ['four-kb.txt'] }],
  ],
  workspace: [
    ['read_file', { file: 'four-kb.txt' }],
    ['list_dir', { dir: 'many' }],
    ['write_file', { file: 'own/workspace.txt', content: 'x\n' }],
  ],
  fileeditor: [
    ['read_files', { path: 'four-kb.txt' }],
    ['search_and_replace', { path: 'own/0.txt', search: 's(a)me', replace: 's$1me', use_regex: true }],
  ],
  repo: [
    ['search_files', { pattern: 'file 4' }],
    ['list_files', {}],
    ['get_repo_overview', {}],
  ],
};
/** One call in this many starts a program. */
const PROGRAM_EVERY = 50;

/** Takes turns between the calls of one dialect. */
export function everyTool(tools) {
  const quick = tools.filter(([name]) => !/^(execute_command|shell_exec)$/.test(name));
  return (connection, turn) => {
    const list = (connection + turn) % PROGRAM_EVERY === 0 ? tools : quick;
    return list[(connection + turn) % list.length];
  };
}
