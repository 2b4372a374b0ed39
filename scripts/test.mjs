// `npm test`, the whole check: install, build, lint, types, generated files, tests. A fresh clone needs nothing else.
import { spawn } from 'node:child_process';
import { install, node, root } from './setup.mjs';

install();
// Node 20 reads these certificates at every start. The tests start Node often and use no network outside.
delete process.env.NODE_EXTRA_CA_CERTS;
process.env.COFFERDAM_TESTS_COMPILED = '1';
// The TypeScript compiler and esbuild are Go programs, which end before their garbage would matter.
process.env.GOGC = 'off';
node('build', ['scripts/build.mjs']);
// Tests often wait, and the checks use the cores in the meantime.
const failed = await Promise.all([
  ...[
    ['types', 'node_modules/typescript/bin/tsc', '--noEmit', '--singleThreaded'],
    ['lint and format', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'],
    ['the kernel is fresh', 'scripts/build-kernel.mjs', '--check'],
    ['types of the page', 'node_modules/typescript/bin/tsc', '--project', 'tsconfig.page.json'],
    ['docs/tools are fresh', 'scripts/docs.mjs', '--check'],
    ['docs/clients are fresh', 'scripts/client-docs.mjs', '--check'],
    ['docs/CLI.md is fresh', 'scripts/cli-docs.mjs', '--check'],
    ['arrows between rooms', 'scripts/check-rooms.mjs'],
  ].map(([title, ...args]) => check(title, args)),
  test(['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]),
]);
for (const title of failed.filter((each) => each !== undefined)) {
  console.error(`failed: ${title}`);
  process.exitCode = 1;
}

/** Runs the tests and shows their output as it comes. Returns their title if some failed. */
function test(args) {
  return new Promise((resolve, reject) => {
    console.error('\n> tests');
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0 ? undefined : 'tests'));
  });
}

/** Runs a check, and shows its output when it has ended. Returns its title if it failed. */
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
      resolve(code === 0 ? undefined : title);
    });
  });
}
