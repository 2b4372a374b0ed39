/** Calls that change nothing: valid and invalid ones. */
import { type Call, each, ODD_PATHS } from './drop-in-calls.ts';
import { COMPOSED, DECOMPOSED, texts } from './drop-in-tree.ts';

const DIRECTORIES = [
  '.',
  '{ROOT}',
  '{ROOT}/src',
  'src/',
  '{ROOT}/app',
  '{ROOT}/empty-dir',
  '{ROOT}/link-dir',
];
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

/** Calls for the tree with ignore files. */
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
    ...[-1, -3, 1.5].flatMap((count) => [
      ...each('read_text_file', ['{ROOT}/plain.txt', '{ROOT}/empty.txt'], { head: count }),
      ...each('read_text_file', ['{ROOT}/plain.txt', '{ROOT}/empty.txt'], { tail: count }),
    ]),
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
    ['lib/**'],
    ['**/deep/**'],
    ['lib/*'],
    ['**/deep'],
    ['[id]'],
    ['a.ts'],
    ['d*'],
    ...[['lib/'], ['/lib'], ['[lib'], ['{lib'], ['..'], ['../lib']],
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
    ...each('directory_tree', ['{ROOT}'], { excludePatterns: ['src/**', 'app/*'] }),
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
    ...[
      '.',
      '..',
      '/',
      '/src',
      '../*',
      '*/',
      '**/',
      'src/',
      './*.ts',
      '{ROOT}/*',
      '[',
      '[a',
      'a]',
      '{a',
      'b}',
    ],
    ...[
      '!plain.txt',
      '!!plain.txt',
      '!src/**',
      '!(a).ts',
      '**/@(a|b).ts',
      '#x',
      'x\\',
      '*.t[s',
      '{app,src}/*',
    ],
  ];
  const excludes = [
    ...[
      ['**/*.ts'],
      ['src'],
      ['src/**'],
      ['src/*'],
      ['*.txt'],
      ['**/lib'],
      ['lib'],
      ['**/deep/**'],
      ['odd/*\n*'],
      ...[[''], ['.'], ['..'], ['/src'], ['src/'], ['[a'], ['{src'], ['/'], ['**/lib/'], ['!src']],
    ],
  ];
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
    '{ROOT}/odd/new\nline.txt',
    '{ROOT}/odd/tab\tand\u001bescape.txt',
    ...ODD_PATHS,
  ]);
}
