/**
 * Compiles the search kernel and the escapes of JSON to WebAssembly and writes them, as base64, into TypeScript files
 * of the repository. With --check it writes nothing, and the exit code says whether an earlier run made those files
 * from the present sources, options and compiler. --check --compile compiles them again to find out.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = [
  {
    folder: 'src/engine/kernel/assembly/',
    entry: 'scan.ts',
    target: 'src/engine/kernel/kernel.generated.ts',
    constant: 'kernelBase64',
    memoryBase: 60000,
  },
  {
    folder: 'src/json/assembly/',
    entry: 'escape.ts',
    target: 'src/json/escape.generated.ts',
    constant: 'escapeBase64',
    memoryBase: 64,
  },
];
/** npm fetches the compiler only when something is compiled: it is large, and the sources seldom change. */
const COMPILER = 'assemblyscript@0.28.20';
const OPTIONS = [
  '--optimizeLevel=3',
  '--shrinkLevel=0',
  '--enable=simd',
  '--runtime=stub',
  '--noAssert',
  '--importMemory',
];
const root = new URL('../', import.meta.url);
const isCheck = process.argv.includes('--check');
const compiles = !isCheck || process.argv.includes('--compile');

for (const module of MODULES) {
  const folder = new URL(module.folder, root);
  const texts = await sourcesIn(folder);
  const target = fileURLToPath(new URL(module.target, root));
  const current = await readFile(target, 'utf8').catch(() => '');
  const base64 = compiles ? await compile(folder, module) : base64In(current);
  const generated = render(base64, texts, module);
  if (current === generated) continue;
  if (!isCheck) await writeFile(target, generated);
  else {
    console.error(`${module.target} does not fit ${module.folder}: run node scripts/build-kernel.mjs`);
    process.exitCode = 1;
  }
}

async function sourcesIn(folder) {
  const texts = new Map();
  for (const name of (await readdir(folder)).sort())
    if (name.endsWith('.ts')) texts.set(name, await readFile(new URL(name, folder), 'utf8'));
  return texts;
}

async function compile(folder, { entry, memoryBase }) {
  const scratch = await mkdtemp(join(tmpdir(), 'kernel-'));
  const wasm = join(scratch, 'module.wasm');
  try {
    const asc = ['exec', '--yes', `--package=${COMPILER}`, '--', 'asc', entry, `--outFile=${wasm}`];
    const options = [...OPTIONS, `--memoryBase=${memoryBase}`];
    const { status } = spawnSync('npm', [...asc, ...options], {
      cwd: fileURLToPath(folder),
      stdio: ['ignore', 2, 2],
      shell: process.platform === 'win32',
    });
    if (status !== 0) throw new Error(`${entry} does not compile, or npm cannot fetch ${COMPILER}`);
    return await readFile(wasm, 'base64');
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function base64In(generated) {
  return [...generated.matchAll(/^ {2}'(.*)',$/gm)].map(([, line]) => line).join('');
}

function render(base64, texts, { entry, constant, memoryBase }) {
  const lines = base64.match(/.{1,96}/g) ?? [];
  const madeFrom = [COMPILER, OPTIONS, entry, memoryBase, [...texts], base64];
  const fingerprint = createHash('sha256').update(JSON.stringify(madeFrom)).digest('hex');
  return [
    '/** The compiled assembly/, written by scripts/build-kernel.mjs: do not edit. */',
    `// Fingerprint of its sources, options, compiler and contents: ${fingerprint}`,
    `export const ${constant}: string = [`,
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}
