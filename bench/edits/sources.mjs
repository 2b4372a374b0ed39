/** Finds sources that are on the machine anyway: in Debian's packages, and in node_modules. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LEAST_BYTES = 2000;
const MOST_BYTES = 40_000;

/** Where to find sources of a language: directories, and patterns for file names or first lines. */
const PLACES = {
  python: { folders: ['/usr/lib/python3.11', '/usr/lib/python3', '/usr/lib/python3.13'], name: /\.py$/ },
  perl: { folders: ['/usr/share/perl/5.36', '/usr/share/perl/5.40', '/usr/share/perl5'], name: /\.p[ml]$/ },
  shell: {
    folders: ['/usr/bin', '/etc/init.d', '/usr/sbin', '/usr/share/doc/git/contrib'],
    name: /./,
    first: /^#!.*\b(?:ba|da)?sh\b/,
  },
  c: { folders: ['/usr/include', '/usr/include/linux', '/usr/include/x86_64-linux-gnu/sys'], name: /\.h$/ },
  javascript: {
    folders: [
      'picomatch/lib',
      'vitest/dist/chunks',
      'chai/lib',
      'typescript/lib',
      'esbuild/lib',
      'vite/dist/node/chunks',
    ],
    name: /\.[cm]?js$/,
    isPackage: true,
  },
};

/** The texts of some sources of a language. Every run on the same machine gives the same ones. */
export function sourcesOf(language, modules, count) {
  const { folders, name, first, isPackage } = PLACES[language];
  const texts = [];
  for (const folder of folders.map((each) => (isPackage ? join(modules, each) : each))) {
    for (const file of filesIn(folder, name)) {
      if (texts.length === count) return texts;
      const text = textOf(join(folder, file));
      if (text && (!first || first.test(text.slice(0, 100)))) texts.push(text);
    }
  }
  return texts;
}

function filesIn(folder, name) {
  try {
    return readdirSync(folder)
      .filter((file) => name.test(file))
      .sort();
  } catch {
    return [];
  }
}

/** The text of a file; undefined if it is no text, or has the wrong size. */
function textOf(path) {
  try {
    const { size } = statSync(path);
    if (size < LEAST_BYTES || size > MOST_BYTES) return undefined;
    const bytes = readFileSync(path);
    const text = bytes.toString('utf8');
    const isPlain = Buffer.from(text).equals(bytes) && !/[\0\r]/.test(text) && text.endsWith('\n');
    return isPlain ? text : undefined;
  } catch {
    return undefined;
  }
}
