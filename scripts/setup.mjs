// Makes a fresh clone ready: installs what is missing. Uses nothing but Node itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`Cofferdam needs Node 20 or newer; this is ${process.versions.node}.`);
  process.exit(2);
}

leaveBundledNode();

/**
 * A newer Node is installed for the conformance suite alone. npm puts it first on the PATH of its scripts,
 * where it would quietly take the place of the Node that is to be tested.
 */
function leaveBundledNode() {
  rmSync(`${root}node_modules/.bin/node`, { force: true });
  if (!process.execPath.startsWith(`${root}node_modules/`)) return;
  const path = process.env.PATH.split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  const { status } = spawnSync('node', process.argv.slice(1), { stdio: 'inherit', env });
  process.exit(status ?? 1);
}

/** Runs a step and ends with its exit code when it fails. */
export function step(title, command, args, options = {}) {
  if (title) console.error(`\n> ${title}`);
  const windows = process.platform === 'win32';
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: windows,
    ...options,
  });
  if (error) console.error(`${command}: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

export function node(title, args, options) {
  step(title, process.execPath, args, options);
}

/** Installs when node_modules is missing or was made from another lock file. */
export function install() {
  const installed = `${root}node_modules/.package-lock.json`;
  if (existsSync(installed) && sameVersions(installed)) return;
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  step('npm ci', 'npm', ['ci', ...quiet], { stdio: ['ignore', 2, 2] });
  rmSync(`${root}node_modules/.bin/node`, { force: true });
}

function sameVersions(installed) {
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  return Object.entries(want).every(
    ([path, { version, optional, os }]) => path === '' || optional || os || have[path]?.version === version,
  );
}
