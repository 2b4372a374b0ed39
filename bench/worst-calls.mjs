/** The worst that a call of each tool can ask for: huge directories, huge files, huge arguments. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lays out what the calls work on. `scale` 1 is 200,000 entries, 400,000 lines and a line of 12 MB. */
export function layOut(root, scale = 1) {
  const entries = Math.round(200_000 * scale);
  const lines = Math.round(400_000 * scale);
  mkdirSync(join(root, 'many'), { recursive: true });
  for (let i = 0; i < entries; i++) writeFileSync(join(root, 'many', `entry-${i}.txt`), '');
  for (let i = 0; i < entries / 100; i++) {
    const directory = join(root, 'tree', `part-${i % 37}`, `directory-${i}`);
    mkdirSync(directory, { recursive: true });
    for (let j = 0; j < 100; j++) writeFileSync(join(directory, `file-${j}.c`), '');
  }
  mkdirSync(join(root, 'deep', ...Array.from({ length: 400 }, () => 'd')), { recursive: true });
  const text = numbered(lines);
  for (const name of ['lines.txt', 'patched.txt', 'diffed.txt', 'inserted.txt', 'appended.txt'])
    writeFileSync(join(root, name), text);
  for (const name of ['long.txt', 'long2.txt', 'long3.txt', 'long4.txt', 'long5.txt'])
    writeFileSync(join(root, name), 'ab c'.repeat(3_000_000 * scale));
  writeFileSync(join(root, 'wide.txt'), 'äß–漢\n'.repeat(1_000_000 * scale));
  for (let i = 0; i < 50; i++) writeFileSync(join(root, `big-${i}.txt`), text.slice(0, 2_000_000 * scale));
  writeFileSync(join(root, 'megabyte.txt'), 'ab c'.repeat(200_000));
  writeFileSync(join(root, 'small.txt'), 'small\n');
  writeFileSync(join(root, 'tags.txt'), `\u{1f3f4}${'\u{e0061}'.repeat(1_500_000 * scale)}`);
  writeFileSync(join(root, 'joined.txt'), '漢\u200d'.repeat(1_200_000 * scale));
  writeFileSync(join(root, 'marked.txt'), 'a\u200b\n'.repeat(1_500_000 * scale));
  writeFileSync(join(root, 'controls.txt'), '\u0001'.repeat(1_300_000 * scale));
  return { root, entries, lines };
}

function numbered(lines) {
  let text = '';
  for (let i = 1; i <= lines; i++) text += `line ${i} of the file\n`;
  return text;
}

/** For each dialect its calls, in an order in which they can be made on what `layOut` has left. */
export function worstCalls({ root, lines }) {
  const at = (name) => join(root, name);
  const wrong = (i) => at(`many/entrie-${i * 7}.txd`);
  const bomb = '{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}{o,p}{q,r}{s,t}';
  const counted = 'a{256}'.repeat(1666);
  const everyNth = (step, make) =>
    Array.from({ length: Math.floor(lines / step) }, (_, i) => make(1 + i * step));
  const hunks = everyNth(100, (n) => `@@ -${n},1 +${n},1 @@\n-line ${n} of the file\n+LINE ${n}\n`).join('');
  const edits = Array.from({ length: 3000 }, (_, i) => ({
    oldText: `line ${i * 100 + 1} of the file\n`,
    newText: 'x\n',
  }));
  const fifty = 'some text in a line\n'.repeat(2_500_000);
  const manyEdits = Array.from({ length: 50_000 }, () => ({ oldText: 'small', newText: 'small' }));
  const paths = (directory) => Array.from({ length: 600 }, (_, i) => `${directory}/${i}/file.txt`);
  const replay = [
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
    ['write_file', { path: at('many/new.txt'), content: 'x' }],
    ['write_file', { path: at('written.txt'), content: 'ab\n'.repeat(2_000_000) }],
    ['create_directory', { path: at('many/new') }],
    ['move_file', { source: at('many/new.txt'), destination: at('many/newer.txt') }],
    [
      'edit_file',
      { path: at('lines.txt'), edits: [{ oldText: 'line', newText: 'row', limit: 0 }], dryRun: true },
    ],
    ['edit_file', { path: at('lines.txt'), edits, dryRun: true }],
    ['edit_file', { path: at('small.txt'), edits: manyEdits, dryRun: true }],
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
    ['edit_files', { paths: Array.from({ length: 300 }, (_, i) => wrong(i)), edits: [{ oldText: 'a' }] }],
    ['search_files', { directory: at('many'), pattern: 'entry' }],
    ['glob_search', { directory: root, globs: ['**'], max: 0 }],
    ['glob_search', { directory: root, globs: [`**/${bomb}*`] }],
    ['glob_search', { directory: root, globs: Array.from({ length: 2000 }, (_, i) => `**/x${i}*{a,b}`) }],
    ['grep_files', { directory: at('many'), regex: 'x' }],
    ['grep_files', { directory: root, regex: 'line', maxMatches: 1_000_000 }],
    ['grep_files', { directory: at('tree'), regex: counted }],
    ['grep_files', { directory: at('tree'), regex: 'a{256}'.repeat(83) }],
    ['grep_files', { directory: at('tree'), regex: `(?:${'x'.repeat(400)}){9999999}` }],
    ['grep_files', { directory: at('tree'), regex: '(a|b)'.repeat(90) }],
    ['grep_files', { directory: at('tree'), regex: 'abcdefghij'.repeat(1000), caseInsensitive: true }],
    ['grep_files', { directory: at('tree'), regex: `(${'a|'.repeat(4900)}b)` }],
    ['grep_files', { directory: at('tree'), regex: `${'(a?'.repeat(1600)}${')'.repeat(1600)}` }],
    ['grep_files', { directory: at('tree'), regex: '[a-z]{1,99}'.repeat(900) }],
    ['grep_files', { directory: at('tree'), regex: '(?:é|ß|[à-ÿ]){1,50}'.repeat(500) }],
    ['execute_command', { command: 'head -c 500000 /dev/zero | tr "\\0" x' }],
    ['delete_file', { path: at('tree') }],
    ['delete_file', { path: at('many') }],
  ];
  const patch = [
    ['patch_apply', { path: 'patched.txt', patch: `--- a\n+++ b\n${hunks}` }],
    [
      'patch_apply',
      { path: 'diffed.txt', patch: `--- a\n+++ b\n@@ -5,3 +5,3 @@\n nothing\n-such\n+is\n here\n` },
    ],
    [
      'patch_apply',
      { path: 'made.txt', patch: `--- /dev/null\n+++ b\n@@ -0,0 +1,${lines} @@\n${'+ab\n'.repeat(lines)}` },
    ],
    ['append', { path: 'appended.txt', content: 'x\r\n'.repeat(1_000_000) }],
    ['write_file', { path: 'other.txt', content: 'x\n'.repeat(2_000_000) }],
    ['shell_exec', { command: 'ls', args: ['many'] }],
    ['shell_exec', { command: 'ls', args: Array.from({ length: 500 }, (_, i) => `many/x${i}`) }],
    ['write_file', { path: 'whole.txt', content: fifty }],
    ['append', { path: 'whole.txt', content: 'x\r\n'.repeat(1_000_000) }],
    [
      'patch_apply',
      {
        path: 'patched-whole.txt',
        patch: `--- /dev/null\n+++ b\n@@ -0,0 +1,1200000 @@\n${'+some text in a line\n'.repeat(1_200_000)}`,
      },
    ],
  ];
  const workspace = [
    ['list_dir', { dir: 'many', maxEntries: 2000 }],
    ['list_dir', { dir: '.', recursive: true, maxEntries: 2000 }],
    ['read_file', { file: 'many/entrie-1.txd' }],
    ['read_file', { file: 'lines.txt' }],
    ['edit_file', { file: 'megabyte.txt', find: 'b', replace: 'd', replaceAll: true }],
    ['write_file', { file: 'many/newest.txt', content: 'x' }],
    ['delete_file', { path: 'many/nosuch' }],
    ['read_file', Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`field${i}`, i]))],
    ['mkdir', { dir: 'many/made' }],
  ];
  const fileeditor = [
    ['list_files', { path: 'many' }],
    ['list_files', { path: 'tree', recursive: true }],
    ['read_files', { path: 'lines.txt' }],
    ['read_files', { path: Array.from({ length: 50 }, (_, i) => `big-${i}.txt`) }],
    ['read_files', { path: 'lines.txt', line_range: `1-${lines}` }],
    ['read_files', { path: Array.from({ length: 200 }, (_, i) => `many/entrie-${i}.txd`) }],
    ['insert_contents', { path: 'inserted.txt', line: 200, content: 'x\n'.repeat(500_000) }],
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
    ['search_and_replace', { path: 'long4.txt', search: 'a', replace: 'xyz' }],
    ['search_and_replace', { path: 'long5.txt', search: 'a', replace: 'xyz', use_regex: true }],
    [
      'search_and_replace',
      { path: 'lines.txt', search: 'O', replace: 'x', ignore_case: true, start_line: 3, end_line: lines - 3 },
    ],
    ['read_files', { path: Array.from({ length: 10_000 }, (_, i) => `many/entry-${i}.txt`) }],
    ['write_files', { path: 'whole-2.txt', content: fifty, line_count: 2_500_000 }],
    ['write_files', { path: paths('written'), content: 'x\n', line_count: 1 }],
    ['insert_contents', { path: paths('written'), line: 1, content: 'y\n' }],
    ['write_files', { path: [...paths('written'), 'many'], content: 'z\n', line_count: 1 }],
    [
      'write_files',
      {
        path: Array.from({ length: 200 }, (_, i) => `out/file-${i}.txt`),
        content: 'x\n'.repeat(2000),
        line_count: 2000,
      },
    ],
  ];
  const repo = [
    ['list_files', { directory: 'many' }],
    ['list_files', { directory: '.', max_depth: 10 }],
    ['list_files', { directory: '.', pattern: `**/${bomb}*` }],
    ['read_file', { path: 'many/entrie-1.txd' }],
    ['read_file', { path: 'megabyte.txt', max_bytes: 1_000_000 }],
    ['search_files', { pattern: 'line', max_results: 1000, context_lines: 10 }],
    ['search_files', { pattern: 'a{256}'.repeat(680), is_regex: true }],
    ['get_repo_overview', { max_depth: 5 }],
  ];
  return { repo, workspace, fileeditor, patch, replay };
}
