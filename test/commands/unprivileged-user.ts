/** A user whom file modes restrict: the one who runs the tests, or `nobody` if that is root. */
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { program } from '../client.ts';

const NOBODY = 65534;

interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

export class UnprivilegedUser {
  readonly #root: string;
  readonly #home: string;
  readonly #program: string;
  readonly #as: { uid?: number; gid?: number };

  /** Makes a home directory in `base`, and gives everything in `root` to the user. */
  constructor(base: string, root: string) {
    this.#root = root;
    this.#home = join(base, 'home');
    mkdirSync(this.#home);
    const isRoot = process.getuid?.() === 0;
    this.#as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
    this.#program = isRoot ? join(this.#home, 'dist/cofferdam.cjs') : program;
    if (!isRoot) return;
    cpSync(dirname(program), dirname(this.#program), { recursive: true });
    copyFileSync(join(dirname(program), '../package.json'), join(this.#home, 'package.json'));
    chmodSync(base, 0o755);
    const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
    for (const path of [this.#home, root, ...names.map((name) => join(root, name))])
      chownSync(path, NOBODY, NOBODY);
  }

  /** Runs a shell line in the sandbox, through execute_command. */
  run(command: string, ...options: string[]): Outcome {
    const call = ['call', 'execute_command', JSON.stringify({ command }), '--dialect', 'replay'];
    return this.cofferdam(...call, '--sandbox', 'require', ...options, this.#root);
  }

  cofferdam(...args: string[]): Outcome {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [this.#program, ...args, '--state', join(this.#home, 'state')],
      { ...this.#as, env: { ...process.env, HOME: this.#home }, encoding: 'utf8' },
    );
    return { status, stdout, stderr };
  }
}
