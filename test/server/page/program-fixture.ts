/** Starts, calls and stops the built program for tests of the page. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { program } from '../../client.ts';
import { layOut, type Tree, temporaryDirectory } from '../../tree.ts';
import { type Answer, ask, hello } from '../http-fixture.ts';

export const TOKEN = 'a-token-for-the-page-of-the-program';

/** A served directory, its state directory, and the programs that use them. */
export class ProgramFixture {
  readonly directory = temporaryDirectory();
  readonly root = join(this.directory.path, 'served');
  readonly state: string;
  readonly #elsewhere: { path: string; remove(): void } | undefined;
  readonly #started: ChildProcess[] = [];

  /** `stateUnder`: the directory that contains the state directory. Default: next to the served one. */
  constructor(tree: Tree, { stateUnder }: { stateUnder?: string } = {}) {
    this.#elsewhere = stateUnder === undefined ? undefined : temporaryDirectory(stateUnder);
    this.state = this.#elsewhere?.path ?? join(this.directory.path, 'state');
    layOut(this.root, tree);
  }

  /** Starts the program and waits until it has printed the expected text. */
  async start(args: string[], wanted: RegExp): Promise<RegExpExecArray> {
    const child = spawn(process.execPath, [program, ...args, '--state', this.state], {
      env: { ...process.env, COFFERDAM_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#started.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
      });
    for (;;) {
      const found = wanted.exec(said);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
      await pause(10);
    }
  }

  /** Starts the program with `--http`, and gives the port. */
  async serve(directory = this.root): Promise<number> {
    const found = await this.start(
      ['--dialect', 'replay', '--http', '0', directory],
      /serving http:\/\/127\.0\.0\.1:(\d+)\/mcp/,
    );
    return Number(found[1]);
  }

  async end(): Promise<void> {
    for (const child of this.#started.splice(0)) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    }
    this.directory.remove();
    this.#elsewhere?.remove();
  }
}

/** Makes one call, in a separate session. */
export async function callOver(port: number, name: string, args: object): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${TOKEN}`,
  };
  const send = (body: object, more: object = {}) =>
    ask({ port, method: 'POST', path: '/mcp', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const opened = await send(hello());
  const session = { 'mcp-session-id': opened.headers['mcp-session-id'] };
  const params = { name, arguments: args };
  return send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, session);
}
