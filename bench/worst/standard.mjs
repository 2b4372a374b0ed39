/** The worst calls of the standard dialect, and the worst requests for its resources. */
import { pathToFileURL } from 'node:url';
import { inputsFor } from './inputs.mjs';

const TEMPLATE = { type: 'ref/resource', uri: 'file:///{+path}' };

export function standard(site) {
  const { root, scale } = site;
  const inputs = inputsFor(site);
  const { at, many, wrong, fifty, hunks, newFile, longHunk, patchLines, deepPath, bomb, mostEdits } = inputs;
  const edit = (path, edits) => ['edit_file', { path: at(path), edits, dryRun: true }];
  const addFiles = many(3000, (i) => `*** Add File: ${at(`added/file-${i}.txt`)}\n+some text\n`).join('');
  /** The same count at every scale: the longest list that is accepted. */
  const numbered = (count) => Array.from({ length: count }, (_, i) => `x${i}`);
  const blanks = '\t'.repeat(2500);
  return [
    ['list_directory', { path: at('many') }],
    ['list_directory', { path: at('directories'), offset: 1000 }],
    ['list_directory_with_sizes', { path: at('many'), sortBy: 'size' }],
    ['directory_tree', { path: root }],
    ['directory_tree', { path: at('deep') }],
    ['directory_tree', { path: at('directories'), excludePatterns: many(1000, (i) => `**/x${i}*`) }],
    ['search_files', { path: at('deep'), pattern: '*', excludePatterns: numbered(1000) }],
    ['search_files', { path: at('deep'), pattern: '*', excludePatterns: numbered(100_000) }],
    ['search_files', { path: root, pattern: '**' }],
    ['search_files', { path: root, pattern: `**/${bomb}*` }],
    ['search_files', { path: at('ruled'), pattern: '*.txt' }],
    ['grep_files', { pattern: 'line', limit: 10_000, context: 50 }],
    ['grep_files', { pattern: 'text', path: at('ruled') }],
    // A search for secrets must not scan each word again from each of its letters.
    ['grep_files', { pattern: 'token'.repeat(400), path: at('small.txt') }],
    edit('small.txt', [{ oldText: `x\n${blanks}…...${blanks}#…`, newText: '' }]),
    ['read_text_file', { path: wrong(1) }],
    // At every scale: a path or pattern of this length is refused before anything splits it.
    ['read_text_file', { path: '/a'.repeat(2_000_000) }],
    ['search_files', { path: root, pattern: '['.repeat(2_000_000) }],
    ['read_text_file', { path: at('large.txt'), offset: Math.round(2_900_000 * scale), hash: true }],
    ['read_text_file', { path: at('empty-lines.txt'), tail: 1_000_000 }],
    ['read_text_file', { path: at('empty-lines.txt'), anchors: true }],
    ['read_text_file', { path: at('long.txt'), column: Math.round(11_000_000 * scale) }],
    ['read_text_file', { path: at('wide.txt'), tail: 1000, anchors: true }],
    ['read_media_file', { path: at('binary.png') }],
    ['read_multiple_files', { paths: many(20_000, (i) => at(`many/entry-${i}.txt`)) }],
    ['read_multiple_files', { paths: many(300, wrong) }],
    ['get_file_info', { path: at('wide.txt') }],
    ['get_file_info', { path: wrong(2) }],
    edit(
      'lines.txt',
      many(3000, (i) => ({ oldText: `line ${i * 100 + 1} of the file\n`, newText: 'x\n' })),
    ),
    edit(
      'small.txt',
      many(200_000, () => ({ oldText: 'small', newText: 'small' })),
    ),
    edit('small.txt', mostEdits),
    edit('lines.txt', [{ oldText: 'line', newText: 'row', all: true }]),
    edit('lines.txt', [{ oldText: '^line', newText: 'row', regex: true }]),
    // There is no such place, so the closest one is searched for in the whole file.
    edit('large.txt', [{ oldText: `line of some\n${'text in a lime\n'.repeat(20)}`, newText: '' }]),
    edit('long.txt', [{ oldText: `c${'ab x'.repeat(5000)}`, newText: '' }]),
    // Short lines take longest, in the file or in oldText.
    edit('short-lines.txt', [{ oldText: `${'a\n'.repeat(200)}b`, newText: 'b' }]),
    edit('small.txt', [{ oldText: 'a\n'.repeat(1_000_000 * scale), newText: '' }]),
    edit('lines.txt', [{ oldText: 'lines  7 of the “file”', newText: '' }]),
    ['apply_patch', { patch: `--- ${at('patched.txt')}\n+++ ${at('patched.txt')}\n${hunks}`, dryRun: true }],
    ['apply_patch', { patch: newFile(patchLines).replace('+++ b', `+++ ${at('made.txt')}`) }],
    ['apply_patch', { patch: longHunk(at('small.txt'), patchLines), dryRun: true }],
    ['apply_patch', { patch: `*** Begin Patch\n${addFiles}*** End Patch\n` }],
    ['undo', {}],
    ['undo', { entry: 'x'.repeat(3_000_000) }],
    ['write_file', { path: at('whole-4.txt'), content: fifty }],
    ['write_file', { path: at('whole-4.txt'), content: `${fifty}more\n` }],
    ['write_file', { path: at(`below/${deepPath}`), content: 'x' }],
    ['undo', {}],
    ['move_file', { source: at('many'), destination: at('moved') }],
    ['move_file', { source: at('moved'), destination: at('many') }],
    ['history', { limit: 10_000 }],
    ['history', { path: at(`below/${deepPath}`), limit: 10_000 }],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: pathToFileURL(at('many')).href }],
    ['resources/read', { uri: pathToFileURL(at('large.txt')).href }],
    // At every scale: a path of this length is refused before anything splits it.
    ['resources/read', { uri: `file:///${'a/'.repeat(1_500_000)}` }],
    ['completion/complete', { ref: TEMPLATE, argument: { name: 'path', value: 'e' } }],
    ['completion/complete', { ref: TEMPLATE, argument: { name: 'path', value: 'many/entry-1' } }],
    ['delete_file', { path: at('directories'), recursive: true }],
    ['undo', {}],
  ];
}
