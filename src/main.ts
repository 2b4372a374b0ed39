/** Turns argv and the environment into a command, and runs it. No other file reads `process.argv` or `process.env`. */
import { homedir } from 'node:os';
import { parseCommand } from './cli/arguments/parse.ts';
import { explainFailure, run } from './cli/run.ts';
import type { Surroundings } from './cli/surroundings.ts';
import { paint, plainPaint, wantsColour } from './display/colour.ts';
import { noteProgram, ownHeap } from './engine/index.ts';
import { unexpected } from './unexpected.ts';
import { version } from './version.ts';

async function main(): Promise<number> {
  const surroundings = readSurroundings();
  const { environment, home, program } = surroundings;
  noteProgram(program);
  ownHeap();
  // The address of a fleet's database holds a password.
  const state = take('COFFERDAM_STATE');
  const command = parseCommand(process.argv.slice(2), environment, home, state);
  coverAddress();
  return run(command, surroundings);
}

function readSurroundings(): Surroundings {
  const token = take('COFFERDAM_TOKEN');
  const secret = take('COFFERDAM_SECRET');
  const program = process.argv[1] ?? '';
  // `homedir` looks at HOME first as well, but loading node:os takes longer than everything else here.
  const home = process.env.HOME || homedir();
  return {
    ...{ version, home, environment: process.env, token, secret, program, log: warn },
    // A getter: a server prints no colours, and does not have to open stdout to see whether it is a terminal.
    get paint() {
      return wantsColour(process.env, process.stdout.isTTY) ? paint : plainPaint;
    },
  };
}

/** Removes a secret from the environment, so that no setting, command or child process sees it. */
function take(variable: string): string | undefined {
  const secret = process.env[variable];
  delete process.env[variable];
  return secret;
}

/** Replaces the process title when an argument holds the address of a database: everybody can list command lines. */
function coverAddress(): void {
  const shown = process.argv.slice(2).map((text) => text.replace(/postgres(ql)?:\/\/.*/is, 'postgres://…'));
  if (shown.some((text, at) => text !== process.argv[at + 2]))
    process.title = ['cofferdam', ...shown].join(' ');
}

let hasWarned = false;

function warn(line: string): void {
  // The server continues when a client closes its stderr. Opening stderr takes a millisecond: wait for the first line.
  if (!hasWarned) process.stderr.on('error', () => {});
  hasWarned = true;
  process.stderr.write(`cofferdam: ${line}\n`);
}

process.on('unhandledRejection', (reason) => {
  warn(unexpected(reason));
});

main().then(
  (code) => {
    process.exitCode = code;
    // Something may still be open, such as a pipe that has ended or a worker that is closing: do not wait for long.
    setTimeout(() => process.exit(code), 500).unref();
  },
  (error: unknown) => {
    const { message, exitCode } = explainFailure(error);
    warn(message);
    process.exit(exitCode);
  },
);
