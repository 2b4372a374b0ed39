// `npm test`, the whole check: install, build, lint, types, generated files, tests. A fresh clone needs nothing else.
import { install, node } from './setup.mjs';

install();
// Node 20 reads these certificates at every start. The tests start Node often and use no network outside.
delete process.env.NODE_EXTRA_CA_CERTS;
node('build', ['scripts/build.mjs']);
node('lint and format', ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
node('types', ['node_modules/typescript/bin/tsc', '--noEmit']);
node('', ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.page.json']);
node('generated files are fresh', ['scripts/docs.mjs', '--check']);
node('', ['scripts/cli-docs.mjs', '--check']);
node('', ['scripts/build-kernel.mjs', '--check']);
node('tests', ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
