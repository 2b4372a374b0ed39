/** Starts a process that swaps names while the server works, as fast as this system allows. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { built } from '../built.ts';

const LONGEST_PAUSE_US = 60;

export interface Attacker {
  /** Whether two names are swapped in one step, so that neither is ever free. */
  atomic: boolean;
  /** Ends the attack and returns how many swaps there were. */
  stop(): Promise<number>;
}

/** Swaps the two names of each pair until it is stopped. */
export async function startAttacker(pairs: readonly (readonly [string, string])[]): Promise<Attacker> {
  const compiled = await compile();
  const names = [String(LONGEST_PAUSE_US), ...pairs.flat()];
  const quick = compiled && (await begin(spawn(compiled, names, { stdio: ['pipe', 'pipe', 'inherit'] })));
  if (quick) return { ...quick, atomic: true };
  const script = fileURLToPath(new URL('swap.mjs', import.meta.url));
  const slow = await begin(
    spawn(process.execPath, [script, ...names], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  if (!slow) throw new Error('the attacker does not start');
  return { ...slow, atomic: false };
}

function compile(): Promise<string | undefined> {
  const source = fileURLToPath(new URL('swap.c', import.meta.url));
  return built('swap', (program) => {
    if (spawnSync('cc', ['-O2', '-o', program, source]).status !== 0) throw new Error('no compiler');
  }).catch(() => undefined);
}

/** Waits until the process is at work; undefined when it cannot work here. */
function begin(child: ChildProcess): Promise<Pick<Attacker, 'stop'> | undefined> {
  let output = '';
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('error', () => resolve(null));
  });
  const ready = new Promise<boolean>((resolve) => {
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      // Wait a moment longer, in which a system without the call would report it.
      if (output.includes('ready')) setTimeout(() => resolve(child.exitCode === null), 20);
    });
    void exited.then(() => resolve(false));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    return Number(output.split('\n')[1] ?? 0);
  };
  return ready.then((atWork) => (atWork ? { stop } : undefined));
}
