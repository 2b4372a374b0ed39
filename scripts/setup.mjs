// Prepares a fresh clone: installs and builds what is missing. Uses nothing but Node itself.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`Cofferdam needs Node 20 or newer; this is ${process.versions.node}.`);
  process.exit(2);
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

/** Installs and builds what is missing or out of date. When several processes ask at once, one of them does it. */
export async function prepare() {
  await takeLock();
  install();
  if (!isBuilt()) node('build', ['scripts/build.mjs']);
  releaseLock();
}

const lock = `${root}.preparing`;
let isOurs = false;

/** Waits until no other process prepares this clone. A process that has died does not count. */
async function takeLock() {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      isOurs = true;
      process.once('exit', releaseLock);
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (!isHeld()) rmSync(lock, { force: true });
    else await pause(200);
  }
}

function releaseLock() {
  if (isOurs) rmSync(lock, { force: true });
  isOurs = false;
}

function isHeld() {
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // The other process may have created the file without having written to it yet.
    if (pid === 0) return Date.now() - statSync(lock).mtimeMs < 10_000;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Running servers load parts of dist/ late, so build again only when a source has changed. */
function isBuilt() {
  try {
    const began = Date.parse(readFileSync(`${root}dist/.built`, 'utf8'));
    const sources = ['src', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'];
    return sources.every((name) => lastChange(`${root}${name}`) < began);
  } catch {
    return false;
  }
}

function lastChange(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => lastChange(join(path, name))));
}

/** Installs when node_modules is missing or comes from another lock file. */
export function install() {
  const installed = `${root}node_modules/.package-lock.json`;
  if (existsSync(installed) && sameVersions(installed)) return;
  // The lock file names each version and its hash, so npm's cache is as good as a download.
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
  step('npm ci', 'npm', ['ci', ...options], { stdio: ['ignore', 2, 2] });
}

function sameVersions(installed) {
  const have = JSON.parse(readFileSync(installed, 'utf8')).packages;
  const want = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')).packages;
  return Object.entries(want).every(
    ([path, { version, optional, os }]) => path === '' || optional || os || have[path]?.version === version,
  );
}
