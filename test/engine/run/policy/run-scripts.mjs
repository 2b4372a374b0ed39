/**
 * Runs many programs one after the other and says what each of them left. `runScripts` in scripts-run.ts starts it: a
 * small process makes another one much faster than a worker of the test run, which holds hundreds of megabytes.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const { commands, input, timeout } = JSON.parse(readFileSync(0, 'utf8'));
const results = commands.map(([program, ...args]) => {
  const { stdout } = spawnSync(program, args, { input, timeout, killSignal: 'SIGKILL' });
  return { printed: stdout.toString('latin1').slice(0, 10_000), files: readdirSync('.') };
});
process.stdout.write(JSON.stringify(results));
