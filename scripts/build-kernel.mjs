/**
 * Compiles the search kernel to WebAssembly and writes it, as base64, into a TypeScript file that is committed.
 * With --check nothing is written: the exit code says whether the committed file fits its source.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const source = fileURLToPath(new URL('../src/engine/search/kernel/scan.ts', import.meta.url));
const target = fileURLToPath(new URL('../src/engine/search/kernel.generated.ts', import.meta.url));

const generated = render(await compile());
const current = await readFile(target, 'utf8').catch(() => '');
if (process.argv.includes('--check')) {
  if (current !== generated) {
    console.error('kernel.generated.ts does not fit kernel/scan.ts: run node scripts/build-kernel.mjs');
    process.exit(1);
  }
} else if (current !== generated) {
  await writeFile(target, generated);
}

/** One file in, one file out, both in memory. */
async function compile() {
  const name = 'scan.ts';
  const text = await readFile(source, 'utf8');
  let wasm;
  const { error, stderr } = await asc.main(
    [
      name,
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
      readFile: (file) => (file === name ? text : null),
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
    '/** The compiled kernel/scan.ts, written by scripts/build-kernel.mjs: do not edit. */',
    'export const kernelBase64: string = [',
    ...lines.map((line) => `  '${line}',`),
    "].join('');",
    '',
  ].join('\n');
}
