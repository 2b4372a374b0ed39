// `npm test`, the whole check: install, build, lint, types, generated files, tests. A fresh clone needs nothing else.
import { spawn } from 'node:child_process';
import { install, node, root } from './setup.mjs';

install();
// Node 20 reads these certificates at every start. The tests start Node often and use no network outside.
delete process.env.NODE_EXTRA_CA_CERTS;
node('build', ['scripts/build.mjs']);
// The longest first: they run at the same time, as many as there are cores to use.
await together({
  types: ['node_modules/typescript/bin/tsc', '--noEmit'],
  'lint and format': ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
  'the kernel is fresh': ['scripts/build-kernel.mjs', '--check'],
  'types of the page': ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.page.json'],
  'docs/tools are fresh': ['scripts/docs.mjs', '--check'],
  'docs/clients are fresh': ['scripts/client-docs.mjs', '--check'],
  'docs/CLI.md is fresh': ['scripts/cli-docs.mjs', '--check'],
  'arrows between rooms': ['scripts/check-rooms.mjs'],
});
node('tests', ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);

/** Runs checks that do not need each other, and ends when one has failed and all have said what they found. */
async function together(checks) {
  const codes = await Promise.all(Object.entries(checks).map(([title, args]) => check(title, args)));
  const failed = codes.find((code) => code !== 0);
  if (failed !== undefined) process.exit(failed);
}

/** Prints the title with all that the check says, once it has ended, so that checks do not talk over each other. */
function check(title, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    child.stderr.on('data', (chunk) => said.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      console.error(`\n> ${title}`);
      process.stderr.write(Buffer.concat(said));
      resolve(code ?? 1);
    });
  });
}
