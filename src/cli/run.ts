/** Runs one command to its end. */
import { defaultDialect } from '../dialects/by-name.ts';
import { dialects } from '../dialects/index.ts';
import { History, StateProblem } from '../engine/index.ts';
import { commandHelp, helpText } from './arguments/help.ts';
import type { Command } from './arguments/parse.ts';
import { call } from './call.ts';
import { completionScript } from './completions/completions.ts';
import { doctor } from './doctor.ts';
import { forget } from './history/forget.ts';
import { showDiff, showHistory } from './history/history.ts';
import { undoOrRedo } from './history/undo.ts';
import { init } from './init.ts';
import { print, printOutcome } from './output.ts';
import { serveHttp } from './serve/serve-http.ts';
import { serveStdio } from './serve/serve-stdio.ts';
import { withState } from './state/fleet.ts';
import { makeNewKey } from './state/new-key.ts';
import { copyState } from './state/state-copy.ts';
import type { Surroundings } from './surroundings.ts';
import { tools } from './tools.ts';
import { trace } from './trace.ts';
import { UsageError } from './usage-error.ts';

const FAILED = 1;
const WRONG_USE = 2;

/** Returns the exit code. `explainFailure` explains what it throws. */
export async function run(command: Command, surroundings: Surroundings): Promise<number> {
  switch (command.do) {
    case 'help':
      if (command.about) return print(commandHelp(command.about, dialects, defaultDialect));
      return print(helpText(dialects, defaultDialect));
    case 'version':
      return print(`${surroundings.version}\n`);
    case 'serve':
      if (command.http) return serveHttp(command, command.http, surroundings);
      return serveStdio(command, surroundings);
    case 'init':
      return init(command, surroundings);
    case 'call':
      return call(command, surroundings);
    case 'tools':
      return tools(command, surroundings);
    case 'doctor':
      return doctor(command, surroundings);
    case 'history':
      return withState(command.state, async (source) =>
        printOutcome(await showHistory(new History(source), command, surroundings.paint)),
      );
    case 'diff':
      return withState(command.state, async (source) =>
        printOutcome(
          await showDiff(
            new History(source, undefined, command.encodings),
            command.entry,
            surroundings.paint,
          ),
        ),
      );
    case 'undo':
    case 'redo':
      return undoOrRedo(command, surroundings);
    case 'forget':
      return withState(command.state, async (source) => printOutcome(await forget(source, command)));
    case 'trace':
      return trace(command, surroundings);
    case 'copy':
      return printOutcome(await copyState(command));
    case 'new-key':
      return printOutcome(await makeNewKey(command.address));
    case 'completions':
      return print(completionScript(command.shell));
  }
}

/** The message about a failed command, and its exit code. An error of the operator needs no stack. */
export function explainFailure(error: unknown): { message: string; exitCode: number } {
  if (error instanceof UsageError || error instanceof StateProblem)
    return { message: error.message, exitCode: WRONG_USE };
  return { message: `${(error as Error).stack}`, exitCode: FAILED };
}
