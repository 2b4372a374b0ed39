/** The tree that is searched: some large npm packages as published, and a few lines of our own. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './children.mjs';
import { keptFolder, npm } from './folders.mjs';

/** Packages of code of all sizes, for searches of contents. */
const CODE = [
  '@mui/material@9.5.0',
  '@types/node@26.6.6',
  'aws-sdk@2.1693.0',
  'date-fns@4.4.0',
  'effect@4.1.0',
  'lodash@4.18.1',
  'next@16.4.6',
  'rxjs@7.8.2',
  'typeorm@1.1.1',
  'typescript@5.9.3',
  'viem@2.57.13',
];
/** Tens of thousands of tiny files in one folder. */
const ICONS = ['@mui/icons-material@9.5.0'];
const UNPACK_MS = 600_000;
const LEAST_FILES = 30_000;
/** For a minute after a file is written, every search reads it again. The tables are about trees that are older. */
const SETTLED_AFTER_MS = 61_000;
const LEAST_ENTRIES = 50_000;

/** Lines for patterns that match nothing in the packages. */
const NEEDLES = ['order ABCD123456X was sent', 'order WXYZ987654Q came back', ''].join('\n');

/** The whole tree, for searches of names, and its part `code`. */
export async function largeTree(say) {
  const path = await keptFolder('tree-2', async (unfinished) => {
    const code = join(unfinished, 'code');
    const icons = join(unfinished, 'icons');
    const plan = [...CODE.map((spec) => [spec, code]), ...ICONS.map((spec) => [spec, icons])];
    for (const [spec, folder] of plan) {
      say(`unpacking ${spec} (once; kept for later runs)`);
      mkdirSync(folder, { recursive: true });
      await unpack(spec, folder);
    }
    mkdirSync(join(code, 'needles'));
    writeFileSync(join(code, 'needles', 'orders.txt'), NEEDLES);
    await pause(SETTLED_AFTER_MS);
  });
  const code = join(path, 'code');
  const tree = { path, ...count(path), code: { path: code, ...count(code) } };
  if (tree.code.files < LEAST_FILES || tree.entries < LEAST_ENTRIES) {
    throw new Error(`${path} holds ${tree.code.files} files of code and ${tree.entries} entries: remove it`);
  }
  return tree;
}

/** Sources that nothing here was tuned on: a Debian package, or else an npm package. */
const FOREIGN_DEBIAN = ['linux-source-6.1', 'linux-source-6.12', 'linux-source'];
const FOREIGN_NPM = 'googleapis@144.0.0';

/** A tree of such sources. Fails when neither package can be fetched. */
export async function foreignTree(say) {
  const path = await keptFolder('foreign-1', async (unfinished) => {
    const fetched = join(unfinished, 'fetched');
    mkdirSync(fetched);
    const sources = join(unfinished, 'sources');
    mkdirSync(sources);
    for (const name of FOREIGN_DEBIAN) {
      say(`downloading ${name} with apt-get (once; kept for later runs)`);
      if (await isUnpackedFromDebian(name, fetched, sources)) break;
    }
    if (readdirSync(sources).length === 0) {
      say(`no package of Debian here: unpacking ${FOREIGN_NPM}`);
      await unpack(FOREIGN_NPM, sources);
    }
    rmSync(fetched, { recursive: true });
    await pause(SETTLED_AFTER_MS);
  });
  const sources = join(path, 'sources');
  return { name: readdirSync(sources)[0], path: sources, ...count(sources) };
}

async function isUnpackedFromDebian(name, fetched, sources) {
  try {
    await run('apt-get', ['download', '-q', name], { cwd: fetched, timeoutMs: UNPACK_MS });
    const archive = readdirSync(fetched).find((file) => file.endsWith('.deb'));
    await run('dpkg-deb', ['-x', archive, '.'], { cwd: fetched, timeoutMs: UNPACK_MS });
    const folder = join(fetched, 'usr/src');
    const packed = readdirSync(folder).find((file) => /\.tar\.\w+$/.test(file));
    await run('tar', ['-xf', join(folder, packed), '-C', sources], { timeoutMs: UNPACK_MS });
    keepSources(join(sources, readdirSync(sources)[0], '.gitignore'));
    return true;
  } catch {
    return false;
  }
}

/** Removes the rule by which Debian ignores all files but its own: nothing would be left to search. */
function keepSources(ignoreFile) {
  writeFileSync(ignoreFile, readFileSync(ignoreFile, 'utf8').replace(/^\/\*$/m, ''));
}

/** The tree for a quick run: what is on the machine anyway. */
export function smallTree(folder) {
  const path = realpathSync(folder);
  const tree = { path, ...count(path) };
  return { ...tree, code: tree };
}

async function unpack(spec, folder) {
  const packed = join(folder, '.packed');
  mkdirSync(packed);
  await npm(['pack', '--silent', '--ignore-scripts', spec, '--pack-destination', packed], folder);
  const [archive] = readdirSync(packed);
  const target = join(folder, spec.slice(0, spec.lastIndexOf('@')).replace('/', '-'));
  mkdirSync(target);
  await run('tar', ['-xzf', join(packed, archive), '-C', target, '--strip-components=1']);
  rmSync(packed, { recursive: true });
}

function count(path) {
  let files = 0;
  let entries = 0;
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      entries++;
      if (entry.isFile()) files++;
      if (entry.isDirectory()) folders.push(join(folder, entry.name));
    }
  }
  return { files, entries };
}
