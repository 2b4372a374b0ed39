/**
 * Runs the program in the process of the test, for tests that are not about processes: its commands and its server on
 * stdio, with the arguments of a command line. Starting the program takes a tenth of a second, this next to nothing.
 */
import { homedir } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import { type CommandTo, parseCommand } from '../src/cli/arguments/parse.ts';
import { explainFailure, run } from '../src/cli/run.ts';
import { serveStdio } from '../src/cli/serve/serve-stdio.ts';
import type { Environment, Surroundings } from '../src/cli/surroundings.ts';
import { plainPaint } from '../src/display/colour.ts';
import { version } from '../src/version.ts';
import { program, USUAL_DIALECT, WireClient } from './client.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
// Each server in this process listens for signals. Node would take the many servers of some tests for a leak.
process.setMaxListeners(0);

function surroundingsOf(environment: Environment, log: (line: string) => void): Surroundings {
  const home = environment.HOME || homedir();
  return { version, home, environment, token: undefined, program, paint: plainPaint, log };
}

/** Discards what a server sends to a client that has left. */
const discard = () => new PassThrough().resume();

interface Where {
  cwd?: string;
  env?: Environment;
}

/**
 * Runs one command to its end. A server on stdio gets no input. Run one at a time, because it takes over the standard
 * streams and the working directory of the process.
 */
export async function runInProcess(args: readonly string[], { cwd, env = process.env }: Where = {}) {
  const before = process.cwd();
  const { write: toStdout } = process.stdout;
  const { write: toStderr } = process.stderr;
  const said = { stdout: '', stderr: '' };
  const listening = SIGNALS.map((signal) => process.listeners(signal));
  if (cwd !== undefined) process.chdir(cwd);
  const capture = (name: keyof typeof said) => (text: string, done?: () => void) => {
    said[name] += text;
    done?.();
    return true;
  };
  process.stdout.write = capture('stdout') as typeof toStdout;
  process.stderr.write = capture('stderr') as typeof toStderr;
  // The program removes the address of a fleet and the token from the environment first, and so does this.
  const { COFFERDAM_STATE: address, COFFERDAM_TOKEN: token, ...environment } = env;
  const log = (line: string) => void process.stderr.write(`cofferdam: ${line}\n`);
  const surroundings = { ...surroundingsOf(environment, log), token };
  try {
    const command = parseCommand(args, environment, surroundings.home, address);
    const status = await (command.do === 'serve' && command.http === undefined
      ? serveStdio(command, surroundings, { stdin: Readable.from([]), stdout: discard() })
      : run(command, surroundings));
    return { status, ...said };
  } catch (error) {
    const { message, exitCode } = explainFailure(error);
    surroundings.log(message);
    return { status: exitCode, ...said };
  } finally {
    process.stdout.write = toStdout;
    process.stderr.write = toStderr;
    process.chdir(before);
    // Some commands listen for signals until their process ends.
    for (const [index, signal] of SIGNALS.entries()) {
      const added = process.listeners(signal).filter((each) => !listening[index]!.includes(each));
      for (const each of added) process.removeListener(signal, each);
    }
  }
}

/** A client of a server on stdio that runs in the process of the test. */
export class InProcessClient extends WireClient {
  /** The exit code. */
  readonly ended: Promise<number>;

  constructor(args: readonly string[], env: Environment = process.env) {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    super(stdin, stdout);
    const log = (line: string) => {
      this.stderr += `cofferdam: ${line}\n`;
    };
    const surroundings = surroundingsOf(env, log);
    const dialect = args.some((each) => each.startsWith('--dialect')) ? [] : USUAL_DIALECT;
    const command = parseCommand([...dialect, ...args], env, surroundings.home) as CommandTo<'serve'>;
    this.ended = serveStdio(command, surroundings, { stdin, stdout });
    this.ended.then(
      () => this.disconnected('the server ended'),
      (error: unknown) => {
        log(explainFailure(error).message);
        this.disconnected('the server failed');
      },
    );
  }

  static async start(args: readonly string[], env?: Environment): Promise<InProcessClient> {
    const client = new InProcessClient(args, env);
    await client.initialize();
    return client;
  }

  /** Closes the input, waits until the server ends by itself, and returns the exit code. */
  end(): Promise<number> {
    this.stdin.end();
    return this.ended;
  }
}
