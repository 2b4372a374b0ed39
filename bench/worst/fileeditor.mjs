/** The worst calls of fileeditor. */
import { inputsFor } from './inputs.mjs';

export function fileeditor(site) {
  const { scale, lines } = site;
  const { many, everyNth, fifty, writtenPaths } = inputsFor(site);
  return [
    ['list_files', { path: 'many' }],
    ['list_files', { path: 'tree', recursive: true }],
    ['list_files', { path: 'directories', recursive: true }],
    ['read_files', { path: 'lines.txt' }],
    ['read_files', { path: Array.from({ length: 50 }, (_, i) => `big-${i}.txt`) }],
    ['read_files', { path: 'empty-lines.txt' }],
    ['read_files', { path: 'lines.txt', line_range: `1-${lines}` }],
    ['read_files', { path: 'one-line.txt' }],
    ['read_files', { path: Array.from({ length: 200 }, (_, i) => `many/entrie-${i}.txd`) }],
    ['insert_contents', { path: 'inserted.txt', line: 200, content: 'x\n'.repeat(500_000 * scale) }],
    [
      'apply_diffs',
      {
        path: 'diffed.txt',
        search_content: everyNth(50, (n) => `line ${n} of the file`),
        replace_content: everyNth(50, (n) => `LINE ${n}\nmore`),
        start_line: everyNth(50, (n) => n),
      },
    ],
    [
      'apply_diffs',
      {
        path: 'inserted.txt',
        atomic: false,
        search_content: everyNth(400, () => 'nothing of the kind'),
        replace_content: everyNth(400, () => 'x'),
        start_line: everyNth(400, (n) => n),
      },
    ],
    [
      'apply_diffs',
      {
        path: 'edited.txt',
        search_content: many(200_000, () => 'line 1 of the file'),
        replace_content: many(200_000, () => 'line 1 of the file'),
        start_line: many(200_000, () => 1),
      },
    ],
    ['search_and_replace', { path: 'long4.txt', search: 'a', replace: 'xyz' }],
    ['search_and_replace', { path: 'long5.txt', search: 'a', replace: 'xyz', use_regex: true }],
    [
      'search_and_replace',
      { path: 'lines.txt', search: 'O', replace: 'x', ignore_case: true, start_line: 3, end_line: lines - 3 },
    ],
    ['read_files', { path: many(10_000, (i) => `many/entry-${i}.txt`) }],
    ['write_files', { path: 'whole-2.txt', content: fifty, line_count: Math.round(2_500_000 * scale) }],
    ['write_files', { path: writtenPaths, content: 'x\n', line_count: 1 }],
    ['insert_contents', { path: writtenPaths, line: 1, content: 'y\n' }],
    ['write_files', { path: Array(100_000).fill('twice.txt'), content: 'x\n', line_count: 1 }],
    ['write_files', { path: [...writtenPaths, 'many'], content: 'z\n', line_count: 1 }],
    [
      'write_files',
      {
        path: Array.from({ length: 200 }, (_, i) => `out/file-${i}.txt`),
        content: 'x\n'.repeat(2000),
        line_count: 2000,
      },
    ],
  ];
}
