/** The worst calls of replay. */
import { inputsFor } from './inputs.mjs';

export function replay(site) {
  const { root, scale } = site;
  const { at, many, wrong, bomb, fifty, deepPath, mostEdits } = inputsFor(site);
  const thousands = many(3000, (i) => ({ oldText: `line ${i * 100 + 1} of the file\n`, newText: 'x\n' }));
  /** The same count at every scale: the longest list that is accepted. */
  const numbered = (count) => Array.from({ length: count }, (_, i) => `x${i}`);
  return [
    ['list_directory', { path: at('many') }],
    ['directory_tree', { path: at('many') }],
    ['directory_tree', { path: at('tree') }],
    ['directory_tree', { path: at('deep') }],
    ['read_file', { path: wrong(1) }],
    ['read_file', { path: at('long.txt') }],
    ['read_file', { path: at('wide.txt') }],
    ['read_file', { path: at('lines.txt') }],
    ['read_file', { path: at('tags.txt') }],
    ['read_file', { path: at('joined.txt') }],
    ['read_file', { path: at('marked.txt') }],
    ['read_file', { path: at('controls.txt') }],
    ['get_file_info', { path: '/a'.repeat(30_000) }],
    ['get_file_info', { path: '/a'.repeat(500_000) }],
    ['create_directory', { path: at('d/'.repeat(30_000)) }],
    ['read_multiple_files', { paths: Array.from({ length: 50 }, (_, i) => wrong(i)) }],
    ['read_multiple_files', { paths: Array.from({ length: 50 }, (_, i) => at(`big-${i}.txt`)) }],
    ['get_file_info', { path: wrong(2) }],
    ['write_file', { path: at(`below/${deepPath}`), content: 'x' }],
    ['read_file', { path: at(`below/${deepPath}`) }],
    ['write_file', { path: at('many/new.txt'), content: 'x' }],
    ['write_file', { path: at('written.txt'), content: 'ab\n'.repeat(2_000_000 * scale) }],
    ['create_directory', { path: at('many/new') }],
    ['move_file', { source: at('many/new.txt'), destination: at('many/newer.txt') }],
    [
      'edit_file',
      { path: at('lines.txt'), edits: [{ oldText: 'line', newText: 'row', limit: 0 }], dryRun: true },
    ],
    ['edit_file', { path: at('lines.txt'), edits: thousands, dryRun: true }],
    [
      'edit_file',
      {
        path: at('small.txt'),
        edits: many(200_000, () => ({ oldText: 'small', newText: 'small' })),
        dryRun: true,
      },
    ],
    ['edit_file', { path: at('small.txt'), edits: mostEdits, dryRun: true }],
    ['write_file', { path: at('whole-3.txt'), content: fifty }],
    ['write_file', { path: at('whole-3.txt'), content: `${fifty}more\n` }],
    ['edit_file', { path: at('lines.txt'), edits: [{ oldText: 'no such line\nin it', newText: '' }] }],
    [
      'edit_file',
      { path: at('lines.txt'), edits: [{ oldText: ' line 7', newText: 'x', caseInsensitive: true }] },
    ],
    [
      'edit_file',
      {
        path: at('lines.txt'),
        edits: [{ oldText: '^line', newText: 'x', isRegex: true, limit: 0 }],
        dryRun: true,
      },
    ],
    ['edit_file', { path: at('long.txt'), edits: [{ oldText: 'b', newText: 'd', limit: 0 }] }],
    [
      'edit_file',
      { path: at('long2.txt'), edits: [{ oldText: 'B', newText: 'd', limit: 0, caseInsensitive: true }] },
    ],
    [
      'edit_file',
      { path: at('long3.txt'), edits: [{ oldText: 'b', newText: 'dd', limit: 0, isRegex: true }] },
    ],
    [
      'edit_files',
      { paths: [at('big-*.txt')], edits: [{ oldText: 'line 9', newText: 'x', limit: 0 }], dryRun: true },
    ],
    // The answer quotes all of it.
    ['edit_files', { paths: ['/a'.repeat(1_500_000)], edits: [{ oldText: 'a' }] }],
    ['edit_files', { paths: many(600, wrong), edits: [{ oldText: 'a' }] }],
    ['search_files', { directory: at('many'), pattern: 'entry' }],
    ['glob_search', { directory: root, globs: ['**'], max: 0 }],
    ['glob_search', { directory: root, globs: [`**/${bomb}*`] }],
    ['glob_search', { directory: root, globs: many(1000, (i) => `**/x${i}*{a,b}`) }],
    [
      'grep_files',
      { directory: at('tree/part-0'), regex: 'x', globs: numbered(1000), excludeGlobs: numbered(1000) },
    ],
    ['grep_files', { directory: at('tree/part-0'), regex: 'x', excludeGlobs: numbered(50_000) }],
    ['grep_files', { directory: at('many'), regex: 'x' }],
    ['grep_files', { directory: root, regex: 'line', maxMatches: 1_000_000 }],
    ['grep_files', { directory: at('tree'), regex: 'a{256}'.repeat(1666) }],
    // What a pattern costs before any file is read.
    ['grep_files', { directory: at('tree/part-0'), regex: 'a{256}'.repeat(83) }],
    ['grep_files', { directory: at('tree/part-0'), regex: `(?:${'x'.repeat(400)}){9999999}` }],
    ['grep_files', { directory: at('tree/part-0'), regex: '(a|b)'.repeat(90) }],
    ['grep_files', { directory: at('tree/part-0'), regex: 'abcdefghij'.repeat(1000), caseInsensitive: true }],
    ['grep_files', { directory: at('tree/part-0'), regex: `(${'a|'.repeat(4900)}b)` }],
    ['grep_files', { directory: at('tree/part-0'), regex: `${'(a?'.repeat(1600)}${')'.repeat(1600)}` }],
    ['grep_files', { directory: at('tree/part-0'), regex: '[a-z]{1,99}'.repeat(900) }],
    ['grep_files', { directory: at('tree/part-0'), regex: '(?:é|ß|[à-ÿ]){1,50}'.repeat(500) }],
    // One command that changes many files and prints much. All entries are compared before and after it.
    [
      'execute_command',
      {
        command: `find many -name "*1.txt" -exec touch {} +; head -c ${Math.round(500_000 * scale)} /dev/zero | tr "\\0" x`,
      },
    ],
    ['delete_file', { path: at('tree') }],
    ['delete_file', { path: at('many') }],
  ];
}
