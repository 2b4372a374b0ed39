/** The tree that is searched: some large npm packages as they are published, and a few lines of our own. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './children.mjs';
import { keptFolder, npm } from './folders.mjs';

const PACKAGES = [
  '@mui/icons-material@9.5.0',
  '@types/node@26.6.6',
  'aws-sdk@2.1693.0',
  'date-fns@4.4.0',
  'lodash@4.18.1',
  'next@16.4.6',
  'rxjs@7.8.2',
  'typescript@5.9.3',
];
const LEAST_FILES = 30_000;
const LEAST_ENTRIES = 50_000;

/** Lines for patterns that nothing in the packages matches. */
const NEEDLES = ['order ABCD123456X was sent', 'order WXYZ987654Q came back', ''].join('\n');

export async function largeTree(say) {
  const path = await keptFolder('tree-1', async (folder) => {
    for (const spec of PACKAGES) {
      say(`unpacking ${spec} (once; kept for later runs)`);
      await unpack(spec, folder);
    }
    mkdirSync(join(folder, 'needles'));
    writeFileSync(join(folder, 'needles', 'orders.txt'), NEEDLES);
  });
  const tree = { path, ...count(path) };
  if (tree.files < LEAST_FILES || tree.entries < LEAST_ENTRIES) {
    throw new Error(`${path} holds ${tree.files} files and ${tree.entries} entries: remove it and run again`);
  }
  return tree;
}

/** For a quick run: what is there anyway. */
export function smallTree(path) {
  return { path, ...count(path) };
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
