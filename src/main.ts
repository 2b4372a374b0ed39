/** Turns argv and environment into a command, and runs it. No other file reads `process.argv` or `process.env`. */
import { homedir } from 'node:os';
import { parseCommand } from './cli/arguments/parse.ts';
import { explainFailure, run } from './cli/run.ts';
import type { Surroundings } from './cli/surroundings.ts';
import { paint, plainPaint, wantsColour } from './display/colour.ts';
import { noteProgram, ownHeap } from './engine/index.ts';
import { version } from './version.ts';

async function main(): Promise<number> {
  const surroundings = readSurroundings();
  const { environment, home, program } = surroundings;
  noteProgram(program);
  ownHeap();
  const command = parseCommand(process.argv.slice(2), environment, home, takeState());
  coverAddress();
  return run(command, surroundings);
}

function readSurroundings(): Surroundings {
  const token = takeToken();
  const secret = takeSecret();
  const program = process.argv[1] ?? '';
  // As `homedir` finds it, too: to load that module takes longer than all else here.
  const home = process.env.HOME || homedir();
  return {
    ...{ version, home, environment: process.env, token, secret, program, log: warn },
    // A server paints nothing, and need not wait for the stream that tells whether it is a terminal.
    get paint() {
      return wantsColour(process.env, process.stdout.isTTY) ? paint : plainPaint;
    },
  };
}

/** Removes the token from the environment, so that no setting, command or child process sees it. */
function takeToken(): string | undefined {
  const token = process.env.COFFERDAM_TOKEN;
  delete process.env.COFFERDAM_TOKEN;
  return token;
}

/** The same with the secret that all servers of a fleet share. */
function takeSecret(): string | undefined {
  const secret = process.env.COFFERDAM_SECRET;
  delete process.env.COFFERDAM_SECRET;
  return secret;
}

/** The same with the address of a fleet's database, which holds a password. */
function takeState(): string | undefined {
  const state = process.env.COFFERDAM_STATE;
  delete process.env.COFFERDAM_STATE;
  return state;
}

/** An address on the command line is there for all to see who list processes: the title takes its place. */
function coverAddress(): void {
  const shown = process.argv.slice(2).map((text) => text.replace(/postgres(ql)?:\/\/.*/is, 'postgres://…'));
  if (shown.some((text, at) => text !== process.argv[at + 2]))
    process.title = ['cofferdam', ...shown].join(' ');
}

let hasWarned = false;

function warn(line: string): void {
  // The server continues when a client closes its stderr. A stream that nobody writes to costs the start a millisecond.
  if (!hasWarned) process.stderr.on('error', () => {});
  hasWarned = true;
  process.stderr.write(`cofferdam: ${line}\n`);
}

process.on('unhandledRejection', (reason) => {
  warn(`unexpected ${reason instanceof Error ? reason.stack : String(reason)}`);
});

main().then(
  (code) => {
    process.exitCode = code;
    // Something may still be open, as a pipe that has ended or a worker that closes: do not wait for it for long.
    setTimeout(() => process.exit(code), 500).unref();
  },
  (error: unknown) => {
    const { message, exitCode } = explainFailure(error);
    warn(message);
    process.exit(exitCode);
  },
);
