/** Loads the corpus of the tests and the functions that spoil it. They are TypeScript, which Node 20 does not run. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const MODULES = [
  './edit-corpus.ts',
  './made-edits.ts',
  './spoil.ts',
  './spoil-patch.ts',
  './spoil-anchors.ts',
  '../engine/text/patch/samples.ts',
  '../../src/engine/text/diff/unified-diff.ts',
];

/** Returns everything that these modules export. */
export async function loadSpoils(root) {
  const { build } = await import('esbuild');
  const folder = join(root, 'test/corpus');
  const outfile = join(root, `dist/.corpus-${process.pid}.mjs`);
  try {
    await build({
      stdin: { contents: MODULES.map((name) => `export * from '${name}';`).join('\n'), resolveDir: folder },
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      define: { 'import.meta.dirname': JSON.stringify(folder) },
      logLevel: 'silent',
    });
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(outfile, { force: true });
  }
}
