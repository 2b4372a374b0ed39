// Builds dist/: the program in one CommonJS file behind a small launcher, the workers, the library and its types.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { splitProgram } from './bundle-plugins.mjs';
import { writeChangeView } from './change-view.mjs';
import { leaveCompiledForms } from './compiled-forms.mjs';
import { writeProgram } from './program.mjs';
import { writeNotices } from './third-party.mjs';
import { removeUnreached } from './types.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

const began = new Date().toISOString();
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  legalComments: 'linked',
  sourcemap: false,
  metafile: true,
  external: ['@vscode/ripgrep', 'pg-native'],
  alias: { '@modelcontextprotocol/server/_shims': './src/server/mcp/library/protocol-shims.ts' },
  define: { COFFERDAM_VERSION: JSON.stringify(version) },
};

const commonjs = {
  ...common,
  format: 'cjs',
  // A path is enough in place of the URL: `createRequire` takes both.
  define: { ...common.define, 'import.meta.url': '__filename', 'import.meta.dirname': '__dirname' },
};

/** The options for pages. The targets are the first browsers that know `light-dark()`. */
const browsers = {
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome123', 'firefox121', 'safari17.5'],
  logLevel: 'warning',
  metafile: true,
  define: common.define,
};

/** Writes the declarations of the library. `npm test` checks the types themselves. */
const declarations = promisify(execFile)(process.execPath, [
  'node_modules/typescript/bin/tsc',
  ...['--project', 'tsconfig.types.json', '--noCheck'],
]);

const program = await splitProgram({ ...commonjs, entryPoints: ['src/main.ts'] });
const built = await Promise.all([
  writeProgram(program.first),
  writeProgram(program.rest),
  writeProgram({
    ...commonjs,
    entryPoints: ['src/server/mcp/library/protocol-library.ts'],
    outfile: 'dist/protocol.cjs',
  }),
  writeProgram({
    ...commonjs,
    entryPoints: ['src/server/oauth/token-library.ts'],
    outfile: 'dist/oauth.cjs',
  }),
  writeProgram({
    ...commonjs,
    entryPoints: ['src/state/postgres/connections/driver.ts'],
    outfile: 'dist/postgres.cjs',
  }),
  writeProgram({
    ...commonjs,
    entryPoints: ['src/cli/clients/formats/parsers.ts'],
    outfile: 'dist/config-formats.cjs',
    // The other form of jsonc-parser loads its parts at run time, where no bundler sees it.
    mainFields: ['module', 'main'],
  }),
  build({
    ...common,
    format: 'cjs',
    entryPoints: ['src/launch.ts'],
    outfile: 'dist/cofferdam.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...commonjs,
    entryPoints: ['src/engine/files/edit/text-worker.ts'],
    outfile: 'dist/text-worker.cjs',
  }),
  build({
    ...commonjs,
    entryPoints: ['src/engine/search/workers/worker.ts'],
    outfile: 'dist/search-worker.cjs',
  }),
  build({
    ...commonjs,
    entryPoints: ['src/engine/charset/iconv-lite.ts'],
    outfile: 'dist/charsets.cjs',
    // The tables hold text in many scripts, which escapes would make twice as long.
    charset: 'utf8',
    minify: true,
  }),
  build({
    ...commonjs,
    entryPoints: ['src/trace/telemetry/telemetry.ts'],
    outfile: 'dist/telemetry.cjs',
    minify: true,
  }),
  // The library, and in separate files what only callers of tools load.
  build({
    ...common,
    format: 'esm',
    splitting: true,
    entryPoints: [{ in: 'src/library/index.ts', out: 'engine' }],
    outExtension: { '.js': '.mjs' },
    chunkNames: 'library-[name]-[hash]',
    outdir: 'dist',
  }),
  // The Tool Trace page.
  build({
    ...browsers,
    loader: { '.html': 'copy', '.svg': 'copy' },
    entryPoints: ['page.ts', 'page.css', 'index.html', 'icon.svg'].map((name) => `src/page/${name}`),
    outdir: 'dist/page',
  }),
  writeChangeView('dist/change-view.html', browsers),
]);
writeNotices(
  'dist/THIRD-PARTY.txt',
  built.map(({ metafile }) => metafile),
);

await declarations;
removeUnreached('dist/types', 'library/index.d.ts');

leaveCompiledForms(version);

// scripts/setup.mjs compares this time with those of the sources.
writeFileSync('dist/.built', began);
