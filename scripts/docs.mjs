// Writes docs/tools/<dialect>.md from the tools' declarations, their golden cases and src/dialects/<dialect>/docs.json,
// which names the examples and the causes of errors. --check only says whether the pages are up to date.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './setup.mjs';
import { toolPage } from './tool-page.mjs';

const check = process.argv.includes('--check');
process.chdir(root);

const { dialects } = await loadDialects();
const stale = [];
mkdirSync('docs/tools', { recursive: true });
for (const dialect of dialects) {
  const file = `docs/tools/${dialect.name}.md`;
  const chosen = JSON.parse(readFileSync(`src/dialects/${dialect.name}/docs.json`, 'utf8'));
  const text = toolPage(dialect, goldensOf(dialect.name), chosen);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  if (check) stale.push(file);
  else writeFileSync(file, text);
}
if (stale.length > 0) {
  console.error(`stale, run \`npm run docs\`: ${stale.join(', ')}`);
  process.exit(1);
}

async function loadDialects() {
  const outfile = join(root, 'dist', `dialects-${process.pid}.mjs`);
  await build({
    entryPoints: ['src/dialects/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@vscode/ripgrep'],
    outfile,
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile);
  }
}

function goldensOf(name) {
  const folder = `test/dialects/${name}`;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.golden.json'))
    .sort()
    .flatMap((file) =>
      JSON.parse(readFileSync(join(folder, file), 'utf8')).map((golden) => ({ ...golden, file })),
    );
}
