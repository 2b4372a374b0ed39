/**
 * `npm start`: installs, builds, and serves the given directory, or the current one, to this machine over HTTP, with
 * the Tool Trace page. It prints what to paste into a client. A fresh clone needs nothing else.
 */
import { spawn } from 'node:child_process';
import { prepare, root } from './setup.mjs';

await prepare();

const { INIT_CWD: cwd = process.cwd(), PORT: port } = process.env;
const address = port ? ['--http', `127.0.0.1:${port}`] : [];
const args = [`${root}dist/cofferdam.cjs`, 'start', ...address, ...process.argv.slice(2)];
const server = spawn(process.execPath, args, { stdio: 'inherit', cwd });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill(signal));
// npm runs this process in a shell and sends signals only to that shell, which does not pass them on. Without this
// watch, somebody who ends npm alone would leave an orphan server behind.
const startedBy = process.ppid;
const watching = setInterval(() => {
  if (process.ppid !== startedBy) server.kill('SIGTERM');
}, 500);
server.once('exit', (code) => {
  clearInterval(watching);
  process.exitCode = code ?? 1;
});
