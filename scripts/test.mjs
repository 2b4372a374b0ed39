// The whole check, from a fresh clone on: install, build, lint, types, generated files, tests.
import { install, node } from './setup.mjs';

install();
// Node 20 reads these certificates at every start. Nothing below goes outside, and the tests start it often.
delete process.env.NODE_EXTRA_CA_CERTS;
node('build', ['scripts/build.mjs']);
node('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
node('types', ['node_modules/typescript/bin/tsc', '--noEmit']);
node('', ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.page.json']);
node('generated files are fresh', ['scripts/docs.mjs', '--check']);
node('', ['scripts/cli-docs.mjs', '--check']);
node('', ['scripts/build-kernel.mjs', '--check']);
node('tests', ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
