// `npm run soak -- [files]`: runs the tests with those that fuzz, race or grow at full size. test/soak.ts says which.
import { install, node } from './setup.mjs';

install();
delete process.env.NODE_EXTRA_CA_CERTS;
process.env.COFFERDAM_SOAK = '1';
node('build', ['scripts/build.mjs']);
node('the kernel, compiled again', ['scripts/build-kernel.mjs', '--check', '--compile']);
node('tests at full size', ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)]);
