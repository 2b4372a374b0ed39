/** Calls that change something, or try to: valid and invalid ones. */
import { type Call, each, ODD_PATHS } from './drop-in-calls.ts';
import { COMPOSED, DECOMPOSED } from './drop-in-tree.ts';

export function changingCalls(): Call[] {
  return [...writes(), ...edits(), ...moves()];
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
    '{ROOT}/plain.txt/',
    '{ROOT}/fresh.txt//',
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
    ...each('write_file', ['{ROOT}/odd/bell\u0007.txt', '{ROOT}/line\nbreak.txt'], { content: 'new\n' }),
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
      'dir\\x',
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
    edit('crlf.txt', ['two\r', '2\r']),
    edit('cr.txt', ['two', '2']),
    edit('cr.txt', ['two\r', '2\r']),
    edit('fence.md', ['```\ncode', 'a\nb']),
    edit('code.ts', ['    return 1; ', 'a\nb']),
    edit('plain.txt', [' ', 'x']),
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
    ['{ROOT}/src', '{ROOT}/src/a.ts'],
    ['{ROOT}/missing', '{ROOT}/missing/inside'],
    ['{ROOT}/link-in', '{ROOT}/moved-link'],
    ['{ROOT}/link-dir', '{ROOT}/moved-link'],
    ['{ROOT}/link-out', '{ROOT}/moved-link'],
    ['{ROOT}/link-broken', '{ROOT}/moved-link'],
    ['{ROOT}/plain.txt', '{ROOT}/bell\u0007.txt'],
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
