// Builds dist/: the program in one CommonJS file behind a small launcher, the workers, the library and its types.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync('dist', { recursive: true, force: true });
mkdirSync('dist', { recursive: true });

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  legalComments: 'linked',
  sourcemap: false,
  external: ['@vscode/ripgrep'],
  alias: { '@modelcontextprotocol/server/_shims': './src/server/protocol-shims.ts' },
  define: { COFFERDAM_VERSION: JSON.stringify(version) },
};

const commonjs = {
  ...common,
  format: 'cjs',
  banner: { js: "const importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: { ...common.define, 'import.meta.url': 'importMetaUrl' },
};

await Promise.all([
  build({ ...commonjs, entryPoints: ['src/main.ts'], outfile: 'dist/main.cjs', minifySyntax: true }),
  build({
    ...common,
    format: 'cjs',
    entryPoints: ['src/launch.ts'],
    outfile: 'dist/cofferdam.cjs',
    banner: { js: '#!/usr/bin/env node' },
  }),
  build({
    ...commonjs,
    entryPoints: ['src/engine/workers/regex-worker.ts'],
    outfile: 'dist/regex-worker.cjs',
  }),
  build({ ...commonjs, entryPoints: ['src/engine/search/worker.ts'], outfile: 'dist/search-worker.cjs' }),
  build({ ...common, format: 'esm', entryPoints: ['src/engine/index.ts'], outfile: 'dist/engine.mjs' }),
]);

execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.types.json'], {
  stdio: 'inherit',
});

// One short run leaves V8's compiled form beside the bundle.
const hello = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'build', version } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'tools/list' },
];
execFileSync(process.execPath, ['dist/cofferdam.cjs', 'src'], {
  input: hello.map((message) => `${JSON.stringify(message)}\n`).join(''),
  stdio: ['pipe', 'ignore', 'ignore'],
});
