/**
 * Compiles the search kernel to WebAssembly and writes it, as base64, into a TypeScript file of the repository.
 * With --check it writes nothing: the exit code says whether that file fits its source.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const folder = new URL('../src/engine/kernel/assembly/', import.meta.url);
const ENTRY = 'scan.ts';
const target = fileURLToPath(new URL('../src/engine/kernel/kernel.generated.ts', import.meta.url));

const texts = new Map();
for (const name of (await readdir(folder)).sort())
  if (name.endsWith('.ts')) texts.set(name, await readFile(new URL(name, folder), 'utf8'));
const generated = render(await compile());
const current = await readFile(target, 'utf8').catch(() => '');
if (process.argv.includes('--check')) {
  if (current !== generated) {
    console.error('kernel.generated.ts does not fit kernel/assembly/: run node scripts/build-kernel.mjs');
    process.exit(1);
  }
} else if (current !== generated) {
  await writeFile(target, generated);
}

/** Compiles in memory. */
async function compile() {
  let wasm;
  const { error, stderr } = await asc.main(
    [
      ENTRY,
      '--outFile=kernel.wasm',
      '--optimizeLevel=3',
      '--shrinkLevel=0',
      '--enable=simd',
      '--runtime=stub',
      '--noAssert',
      '--importMemory',
      '--memoryBase=60000',
    ],
    {
      readFile: (file) => texts.get(file) ?? null,
      writeFile: (file, contents) => {
        if (file === 'kernel.wasm') wasm = contents;
      },
      listFiles: () => [],
    },
  );
  if (error || !wasm) throw new Error(`the kernel does not compile: ${error?.message}\n${stderr.toString()}`);
  return wasm;
}

function render(wasm) {
  const lines = Buffer.from(wasm)
    .toString('base64')
    .match(/.{1,96}/g);
  return [
    '/** The compiled assembly/, written by scripts/build-kernel.mjs: do not edit. */',
    `export const sourceHash = '${createHash('sha256')
      .update([...texts.values()].join(''))
      .digest('hex')}';`,
    'export const kernelBase64: string = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}
