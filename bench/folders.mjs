/** The folders of the benchmark: those that it keeps between runs, and those for one run only. */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './children.mjs';

const FETCH_MS = 300_000;

const base = join(realpathSync(tmpdir()), 'cofferdam-trees-and-peers');

/** A folder for this run, which is removed at the end. */
export function scratchFolder() {
  mkdirSync(base, { recursive: true });
  const path = mkdtempSync(join(base, 'run-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A folder that is kept. It appears only when complete, even if other runs prepare it at the same time. */
export async function keptFolder(name, prepare) {
  const path = join(base, name);
  if (existsSync(path)) return path;
  const unfinished = `${path}.${process.pid}`;
  const remove = () => rmSync(unfinished, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    mkdirSync(unfinished, { recursive: true });
    await prepare(unfinished);
    if (!existsSync(path)) renameSync(unfinished, path);
  } finally {
    remove();
    process.off('exit', remove);
  }
  return path;
}

export function isFolderKept(name) {
  return existsSync(join(base, name));
}

export function npm(args, cwd) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const shell = process.platform === 'win32';
  return run('npm', [...args, ...quiet], { cwd, env: process.env, keep: true, timeoutMs: FETCH_MS, shell });
}
