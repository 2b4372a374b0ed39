/** Calls of the official server's 14 tools, well-meant and wrong ones, on the tree of drop-in-tree.ts. */
import { COMPOSED, DECOMPOSED, texts } from './drop-in-tree.ts';

export interface Call {
  tool: string;
  args: Record<string, unknown>;
}

const DIRECTORIES = [
  '.',
  '{ROOT}',
  '{ROOT}/src',
  'src/',
  '{ROOT}/app',
  '{ROOT}/empty-dir',
  '{ROOT}/link-dir',
];
/** Where there is no file to read, or none that may be read. */
const ODD_PATHS = [
  ...['{ROOT}/missing.txt', '{ROOT}/missing/deeper.txt', 'missing.txt', '{ROOT}/plain.txt/below'],
  ...['{ROOT}/link-out', '{ROOT}/link-out-dir/secret.txt', '{ROOT}/link-broken', '{ROOT}/link-broken-out'],
  ...['{ROOT}/link-loop', '{ROOT}/../outside/secret.txt', '/etc/hostname', '../outside/secret.txt'],
  ...['C:\\Users\\me\\a.txt', 'c:/a.txt', '{ROOT}-beside/a.txt', `{ROOT}/${'n'.repeat(300)}`],
];

/** Calls that change nothing. */
export function readingCalls(random: () => number): Call[] {
  const files = Object.keys(texts(random));
  return [
    ...reads(files, random),
    ...listings(),
    ...searches(),
    ...infos(files),
    { tool: 'list_allowed_directories', args: {} },
  ];
}

export function changingCalls(): Call[] {
  return [...writes(), ...edits(), ...moves()];
}

/** For the tree with ignore files. */
export function ignoringCalls(): Call[] {
  return [
    ...each('directory_tree', ['{ROOT}', '{ROOT}/node_modules']),
    ...['**/*', '**/*.log', '**/*.js', '*'].flatMap((pattern) =>
      each('search_files', ['{ROOT}'], { pattern }),
    ),
    ...each('search_files', ['{ROOT}/node_modules'], { pattern: '**' }),
    ...each('list_directory', ['{ROOT}']),
  ];
}

function each(tool: string, paths: readonly string[], more: Record<string, unknown> = {}): Call[] {
  return paths.map((path) => ({ tool, args: { path, ...more } }));
}

function reads(files: readonly string[], random: () => number): Call[] {
  const counts = [0, 1, 2, 3, 7, 1000];
  const some = () => files[Math.floor(random() * files.length)]!;
  const parts = files.flatMap((file) => {
    const count = counts[Math.floor(random() * counts.length)]!;
    return [
      { tool: 'read_text_file', args: { path: `{ROOT}/${file}`, head: count } },
      { tool: 'read_file', args: { path: file, tail: count } },
    ];
  });
  const inForms = [
    COMPOSED.normalize('NFD'),
    DECOMPOSED.normalize('NFC'),
    'link-in',
    'link-dir/a.ts',
    'link-deep',
  ];
  return [
    ...each(
      'read_text_file',
      [...files, ...inForms].map((file) => `{ROOT}/${file}`),
    ),
    ...each('read_file', [
      '{ROOT}//plain.txt',
      '{ROOT}/./src/../plain.txt',
      '{ROOT}/plain.txt/',
      'link-absolute',
    ]),
    ...parts,
    ...each('read_text_file', ['{ROOT}/long.txt', '{ROOT}/wide.txt', '{ROOT}/crlf.txt'], { head: 2 }),
    ...each('read_text_file', ['{ROOT}/long.txt', '{ROOT}/wide.txt', '{ROOT}/crlf.txt'], { tail: 2 }),
    ...each('read_text_file', ['{ROOT}/plain.txt', '{ROOT}/missing.txt'], { head: 1, tail: 1 }),
    ...each('read_text_file', ['{ROOT}/plain.txt'], { head: -1 }),
    ...each('read_text_file', ['{ROOT}/plain.txt'], { head: 'two' }),
    ...each('read_text_file', [...ODD_PATHS, '{ROOT}/src', '{ROOT}', '', '{ROOT}/a\u0000b']),
    ...each('read_text_file', ['{ROOT}/data.bin', '{ROOT}/latin1.txt', '{ROOT}/large.txt']),
    { tool: 'read_text_file', args: {} },
    ...each(
      'read_media_file',
      ['image.png', 'sound.MP3', 'picture.svg', 'data.bin', 'plain.txt', 'empty.txt', 'link-in'].map(
        (name) => `{ROOT}/${name}`,
      ),
    ),
    ...each('read_media_file', [
      '{ROOT}/missing.png',
      '{ROOT}/src',
      '{ROOT}/link-out',
      '{ROOT}/with space.txt',
    ]),
    ...Array.from({ length: 12 }, () => ({
      tool: 'read_multiple_files',
      args: { paths: [some(), `{ROOT}/${some()}`, some()] },
    })),
    {
      tool: 'read_multiple_files',
      args: { paths: ['{ROOT}/missing.txt', '{ROOT}/plain.txt', '{ROOT}/src'] },
    },
    {
      tool: 'read_multiple_files',
      args: { paths: ['{ROOT}/plain.txt', '{ROOT}/link-out', '{ROOT}/plain.txt'] },
    },
    { tool: 'read_multiple_files', args: { paths: [] } },
  ];
}

function listings(): Call[] {
  const all = [
    ...DIRECTORIES,
    '{ROOT}/sizes',
    '{ROOT}/d0',
    '{ROOT}/odd',
    ...ODD_PATHS.slice(0, 9),
    '{ROOT}/plain.txt',
  ];
  const excludes = [
    ['*.ts'],
    ['**/*.ts'],
    ['lib'],
    ['src'],
    ['lib', '*.md'],
    ['deep/**'],
    ['**/deep'],
    ['[id]'],
    ['a.ts'],
    ['d*'],
  ];
  return [
    ...each('list_directory', all),
    ...each('list_directory_with_sizes', all),
    ...each('list_directory_with_sizes', ['{ROOT}/sizes', '{ROOT}/src'], { sortBy: 'size' }),
    ...each('list_directory_with_sizes', ['{ROOT}/sizes'], { sortBy: 'date' }),
    ...each('directory_tree', all),
    ...excludes.flatMap((excludePatterns) =>
      each('directory_tree', ['{ROOT}/src', '{ROOT}/app'], { excludePatterns }),
    ),
    ...each('directory_tree', ['{ROOT}'], { excludePatterns: ['src', 'd0'] }),
  ];
}

function searches(): Call[] {
  const patterns = [
    '*',
    '**',
    '**/*',
    '*.ts',
    '**/*.ts',
    'src/*',
    'src/**',
    '**/deep',
    '**/[ab].ts',
    '*.{ts,md}',
    '**/*.{ts,md}',
  ];
  const more = [
    '.*',
    '**/.*',
    'plain.txt',
    'src/a.ts',
    'readme',
    '[id].tsx',
    '**/\\[id\\]*',
    'odd/*\n*',
    '?ain.txt',
    '**/*d*',
    '!*.ts',
    '+(a|b).ts',
    'zzz',
    '',
  ];
  const excludes = [['**/*.ts'], ['src'], ['src/**'], ['*.txt'], ['**/lib'], ['lib']];
  return [
    ...[...patterns, ...more].flatMap((pattern) => each('search_files', ['{ROOT}'], { pattern })),
    ...patterns.flatMap((pattern) => each('search_files', ['{ROOT}/src', 'app'], { pattern })),
    ...excludes.flatMap((excludePatterns) =>
      each('search_files', ['{ROOT}'], { pattern: '**/*', excludePatterns }),
    ),
    ...each(
      'search_files',
      ['{ROOT}/missing', '{ROOT}/plain.txt', '/etc', '', '{ROOT}/link-dir', '{ROOT}/link-out-dir'],
      { pattern: '*' },
    ),
  ];
}

function writes(): Call[] {
  const contents = ['', 'x', 'new\n', 'a\r\nb\r\n', 'é😀\n'];
  const targets = [
    'plain.txt',
    'fresh.txt',
    'src/fresh.txt',
    'with space.txt',
    'link-in',
    'link-dir/fresh.txt',
    'private.txt',
  ];
  const odd = [
    '{ROOT}/not/there/x.txt',
    '{ROOT}/src',
    '{ROOT}/link-broken',
    ...ODD_PATHS.filter((path) => !path.includes('missing')),
  ];
  return [
    ...targets.flatMap((path, index) =>
      each('write_file', [`{ROOT}/${path}`], { content: contents[index % contents.length] }),
    ),
    ...each(
      'write_file',
      [
        'fresh relative.txt',
        '{ROOT}/missing/x.txt',
        '{ROOT}/script.sh',
        `{ROOT}/${DECOMPOSED.normalize('NFC')}`,
      ],
      { content: 'new\n' },
    ),
    ...each('write_file', odd, { content: 'new\n' }),
    { tool: 'write_file', args: { path: '{ROOT}/plain.txt' } },
    ...each('create_directory', [
      '{ROOT}/fresh',
      '{ROOT}/a/b/c',
      'relative/dir',
      '{ROOT}/src',
      '{ROOT}/link-dir',
      '{ROOT}/link-dir/new',
    ]),
    ...each('create_directory', [
      '{ROOT}/plain.txt',
      '{ROOT}/plain.txt/x',
      '{ROOT}/link-broken',
      '{ROOT}/link-out-dir/x',
      '../outside/x',
      '/etc/x',
      'c:\\x',
    ]),
  ];
}

function edits(): Call[] {
  const edit = (path: string, ...list: [string, string][]): Call => ({
    tool: 'edit_file',
    args: { path: `{ROOT}/${path}`, edits: list.map(([oldText, newText]) => ({ oldText, newText })) },
  });
  const dry = (call: Call): Call => ({ ...call, args: { ...call.args, dryRun: true } });
  const all = [
    edit('plain.txt', ['two', '2']),
    edit('plain.txt', ['one\ntwo', '1\n2\n2b']),
    edit('plain.txt', ['one\n', '']),
    edit('plain.txt', ['three\n', 'three\nfour\n']),
    edit('plain.txt', ['three', 'three\nfour']),
    edit('plain.txt', ['one', 'ONE'], ['three', 'THREE']),
    edit('plain.txt', ['one', 'two'], ['two\ntwo', '$& $1']),
    edit('plain.txt', ['one\ntwo\nthree\n', '']),
    edit('no-newline.txt', ['two', '2']),
    edit('no-newline.txt', ['one', '1']),
    edit('no-newline.txt', ['two', 'two\n']),
    edit('only-newline.txt', ['\n', 'x\n']),
    edit('blank-lines.txt', ['one', 'two']),
    edit('unicode.txt', ['日本語', '中文'], ['😀', '🎉']),
    edit('wide.txt', ['short', 'shorter']),
    edit('code.ts', ['return 1', 'return 3']),
    edit('code.ts', ['  if (x) {\n    return 1;\n  }\n', '']),
    edit('code.ts', ['  return 2;\n}', '  return 3;\n}\n// end']),
    edit('ticks.md', ['let a;', 'let b;']),
    edit('long.txt', ['\n150 ', '\n150b ']),
    edit('long.txt', ['1 ', 'first '], ['\n299 ', '\nlast ']),
    edit('with space.txt', ['space', 'blank']),
    edit('link-in', ['two', '2']),
    edit('script.sh', ['/bin/sh', '/bin/bash']),
    edit(DECOMPOSED.normalize('NFC'), ['decomposed', 'd']),
    edit('odd/new\nline.txt', ['newline', 'n']),
  ];
  return [
    ...all,
    ...all.slice(0, 6).map(dry),
    edit('crlf.txt', ['two', '2']),
    edit('crlf.txt', ['one\ntwo', '1\n2']),
    edit('mixed.txt', ['two', '2']),
    edit('code.ts', ['f(1);', 'g(1);']),
    edit('code.ts', ['if (x) {\nreturn 1;\n}', 'if (y) {\nreturn 1;\n}']),
    edit('code.ts', ['if (x) {\n  return 1;\n}', 'if (y) {\n  return 1;\n}']),
    edit('plain.txt', ['one  \ntwo  ', '1\n2']),
    edit('plain.txt', ['four', '4']),
    edit('plain.txt', ['one', '1'], ['four', '4']),
    edit('plain.txt', ['two', 'two']),
    edit('plain.txt'),
    edit('plain.txt', ['', 'zero\n']),
    edit('empty.txt', ['', 'zero\n']),
    edit('data.bin', ['x', 'y']),
    edit('src', ['x', 'y']),
    ...ODD_PATHS.slice(0, 8).map((path) => ({
      tool: 'edit_file',
      args: { path, edits: [{ oldText: 'a', newText: 'b' }] },
    })),
    { tool: 'edit_file', args: { path: '{ROOT}/plain.txt', edits: [{ newText: 'x' }] } },
    { tool: 'edit_file', args: { path: '{ROOT}/plain.txt' } },
  ];
}

function moves(): Call[] {
  const pairs: [string, string][] = [
    ...(
      [
        ['plain.txt', 'moved.txt'],
        ['src', 'moved'],
        ['src/a.ts', 'app/a.ts'],
        ['with space.txt', '-x y.txt'],
      ] as const
    ).map(([from, to]): [string, string] => [`{ROOT}/${from}`, `{ROOT}/${to}`]),
    ['plain.txt', 'relative.txt'],
    ['{ROOT}/plain.txt', '{ROOT}/empty.txt'],
    ['{ROOT}/plain.txt', '{ROOT}/src'],
    ['{ROOT}/plain.txt', '{ROOT}/plain.txt'],
    ['{ROOT}/plain.txt', '{ROOT}/not/there.txt'],
    ['{ROOT}/missing.txt', '{ROOT}/moved.txt'],
    ['{ROOT}/missing.txt', '{ROOT}/plain.txt'],
    ['{ROOT}/src', '{ROOT}/src/inside'],
    ['{ROOT}/link-in', '{ROOT}/moved-link'],
    ['{ROOT}/link-dir', '{ROOT}/moved-link'],
    ['{ROOT}/link-out', '{ROOT}/moved-link'],
    ['{ROOT}/link-broken', '{ROOT}/moved-link'],
    ['{ROOT}/plain.txt', '{ROOT}/link-broken'],
    ['{ROOT}/plain.txt', '{ROOT}/link-in'],
    ['{ROOT}/plain.txt', '{ROOT}/link-dir/moved.txt'],
    ['{ROOT}/plain.txt', '{ROOT}/../outside/x.txt'],
    ['/etc/hostname', '{ROOT}/x'],
    ['{ROOT}/plain.txt', 'C:\\x'],
    [`{ROOT}/${COMPOSED.normalize('NFD')}`, '{ROOT}/coffee.txt'],
    ['{ROOT}', '{ROOT}/x'],
  ];
  return pairs.map(([source, destination]) => ({ tool: 'move_file', args: { source, destination } }));
}

function infos(files: readonly string[]): Call[] {
  const named = [
    'src',
    'empty-dir',
    'link-in',
    'link-dir',
    'image.png',
    'script.sh',
    'private.txt',
    'data.bin',
  ];
  return each('get_file_info', [
    ...[...files.slice(0, 12), ...named].map((file) => `{ROOT}/${file}`),
    '.',
    ...ODD_PATHS,
  ]);
}
