/** Starts the processes of the benchmark, and makes sure that none outlives it. */
import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';

const alive = new Set();

/** The environment without settings for Node, which would slow down some contestants and not others. */
export const plainEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('NODE_')),
);

/** Starts a process in its own process group, so that its children end with it. */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { detached: true, env: plainEnvironment, ...options });
  if (child.pid === undefined) return child;
  alive.add(child);
  child.once('exit', () => endGroup(child));
  return child;
}

export function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  alive.delete(child);
}

export function endAllChildren() {
  for (const child of alive) endGroup(child);
}

/**
 * Runs a program to its end and reads all that it prints. Returns the time from the start to the end of its output, the
 * output itself if asked for, and the last part of stderr. Fails when the program cannot be started, is killed, or ends
 * with an unexpected exit code.
 */
export async function run(
  command,
  args,
  { codes = [0], keep = false, timeoutMs = 120_000, ...options } = {},
) {
  const begun = performance.now();
  const child = start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  const kept = [];
  let complaint = '';
  child.stdout.on('data', (chunk) => {
    if (keep) kept.push(chunk);
  });
  child.stderr.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2000);
  });
  const timer = setTimeout(() => endGroup(child), timeoutMs);
  const { code, error } = await new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (code) => resolve({ code }));
  });
  clearTimeout(timer);
  const ms = performance.now() - begun;
  if (error) throw error;
  if (!codes.includes(code)) {
    throw new Error(`${command} ended with ${code ?? 'a signal'}: ${complaint.trim() || 'no message'}`);
  }
  return { ms, output: Buffer.concat(kept).toString('utf8'), complaint };
}
