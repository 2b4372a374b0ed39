/**
 * The main job from a fresh clone on: installs, builds, and serves the current directory to this machine over
 * HTTP, with the Tool Trace page. It prints the address, the clients' configurations and, unless COFFERDAM_TOKEN
 * is set, a token for this run.
 */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { install, node, root } from './setup.mjs';

const USUAL_PORT = 7440;

install();
node('build', ['scripts/build.mjs']);

const directory = process.env.INIT_CWD ?? process.cwd();
const port = process.env.PORT ?? (await freePort(USUAL_PORT));
const args = [`${root}dist/cofferdam.cjs`, '--http', `127.0.0.1:${port}`, '--new-token', directory];
const server = spawn(process.execPath, [...args, ...process.argv.slice(2)], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
server.once('exit', (code) => {
  process.exitCode = code ?? 1;
});

/** The usual port, or any when something listens there already. */
function freePort(wanted) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(wanted, '127.0.0.1', () => probe.close(() => resolve(wanted)));
  });
}
