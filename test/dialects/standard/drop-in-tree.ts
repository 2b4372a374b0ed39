/** A tree with everything that file servers stumble over. The same seed gives the same tree. */
import type { Tree } from '../../tree.ts';

/** Random numbers from 0 to 1. The same seed gives the same numbers. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const WORDS = [
  'alpha',
  'beta',
  'gamma',
  'return',
  'const',
  'été',
  '日本',
  '😀',
  '`tick`',
  '"q"',
  '\tx',
  'end;',
];

export function randomLines(random: () => number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const words = Array.from(
      { length: Math.floor(random() * 6) },
      () => WORDS[Math.floor(random() * WORDS.length)]!,
    );
    return `${'  '.repeat(Math.floor(random() * 3))}${index + 1} ${words.join(' ')}`.trimEnd();
  });
}

export const DECOMPOSED = 'nai\u0308ve.txt';
export const COMPOSED = 'caf\u00e9.txt';

/** Regular text files, keyed by their paths. */
export function texts(random: () => number): Record<string, string> {
  return {
    'plain.txt': 'one\ntwo\nthree\n',
    'empty.txt': '',
    'no-newline.txt': 'one\ntwo',
    'only-newline.txt': '\n',
    'blank-lines.txt': '\n\none\n\n\n',
    'crlf.txt': 'one\r\ntwo\r\nthree\r\n',
    'cr.txt': 'one\rtwo\rthree',
    'mixed.txt': 'one\r\ntwo\nthree\r\nfour',
    'unicode.txt': 'h\u00e9llo w\u00f6rld\n日本語\n😀 emoji\n',
    'wide.txt': `${'wide '.repeat(700)}\nshort\n${'é'.repeat(1500)}\n`,
    'long.txt': `${randomLines(random, 300).join('\n')}\n`,
    'code.ts': 'function f(x) {\n  if (x) {\n    return 1;\n  }\n  return 2;\n}\n\nf(1);\nf(1);\n',
    'fence.md': '```\ncode\n```\n',
    'ticks.md': '# Code\n\n```js\nlet a;\n```\n\n````\nx\n````\n',
    'with space.txt': 'space\n',
    '\'it\'s "quoted".txt': 'quoted\n',
    'odd/new\nline.txt': 'newline\n',
    'odd/tab\tand\u001bescape.txt': 'control characters\n',
    '-dash.txt': 'dash\n',
    'back\\slash.txt': 'backslash\n',
    '*star?.txt': 'star\n',
    'app/[id].tsx': 'id\n',
    'app/[id]/page.tsx': 'page\n',
    'app/{a,b}.ts': 'braces\n',
    [COMPOSED]: 'composed\n',
    [DECOMPOSED]: 'decomposed\n',
    'src/a.ts': 'export const a = 1;\n',
    'src/b.ts': 'export const b = 2;\n',
    'src/lib/c.ts': 'c\n',
    'src/lib/deep/d.test.ts': 'd\n',
    'src/Readme.md': '# r\n',
    '.hidden': 'h\n',
    '.config/x.json': '{}\n',
    [`${Array.from({ length: 12 }, (_, index) => `d${index}`).join('/')}/leaf.txt`]: 'leaf\n',
  };
}

/** The tree for calls that change something. */
export function smallTree(random: () => number): Tree {
  return {
    ...texts(random),
    'empty-dir/': '',
    'link-in': { link: 'plain.txt' },
    'link-deep': { link: 'src/lib/c.ts' },
    'link-dir': { link: 'src' },
    'link-absolute': { link: '{ROOT}/plain.txt' },
    'link-out': { link: '../outside/secret.txt' },
    'link-out-dir': { link: '../outside' },
    'link-broken': { link: 'nowhere.txt' },
    'link-broken-out': { link: '../outside/nowhere.txt' },
    'link-loop': { link: 'link-loop' },
    '../outside/secret.txt': 'secret\n',
    'image.png': { base64: 'iVBORw0KGgo=' },
    'sound.MP3': { base64: 'SUQzBAA=' },
    'picture.svg': '<svg/>\n',
    'data.bin': { base64: '/9j/4QAB/v8=' },
    'latin1.txt': { base64: 'Y2Fm6Qo=' },
    'script.sh': { text: '#!/bin/sh\n', mode: '755' },
    'private.txt': { text: 'mine\n', mode: '600' },
  };
}

/** The tree for calls that only read, with files that take long to lay out. */
export function wholeTree(random: () => number): Tree {
  return {
    ...smallTree(random),
    'large.txt': { repeat: 'a line of a large file\n', times: 9000 },
    'sizes/zero': '',
    'sizes/one': 'x',
    'sizes/kilo': { repeat: 'x', times: 1024 },
    'sizes/kilo-less': { repeat: 'x', times: 1023 },
    'sizes/kilo-half': { repeat: 'x', times: 1536 },
    'sizes/mega': { repeat: 'x', times: 1048576 },
    'sizes/a-name-that-is-longer-than-thirty-characters.txt': 'x',
    'sizes/dir/x': 'x',
  };
}

/** A tree with ignore files. */
export const ignoringTree: Tree = {
  '.gitignore': 'node_modules/\n*.log\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  'node_modules/m/index.js': 'm\n',
  'debug.log': 'log\n',
  'index.js': 'i\n',
};

/** The entries that its ignore files name. */
export const ignoredNames = ['.git', 'node_modules', 'debug.log'];
