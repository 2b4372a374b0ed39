/**
 * The engine's commands: opened when the first one is asked for, ended when the engine closes.
 *
 * Finding the programs and trying the sandbox takes a moment, and most sessions never run a command.
 */
import { constants } from 'node:os';
import type { Wall } from './confine/wall.ts';
import { fail } from './failures.ts';
import type { Arrivals } from './files/arrivals.ts';
import { type CommandCall, Commands } from './run/commands.ts';
import type { Layer } from './run/layers.ts';
import { ripgrep } from './run/ripgrep.ts';
import { endAllRuns, type RunResult } from './run/run-command.ts';
import type { SandboxMode } from './run/sandbox.ts';

export interface CommandSettings {
  sandbox?: SandboxMode;
  allowNet?: boolean;
  /** Programs beyond the usual ones that developer tools may be run as. */
  allowCommands?: readonly string[];
  /** Names of variables that commands get to see. */
  passEnv?: readonly string[];
  /** The environment to take PATH and the passed variables from. */
  environment?: Readonly<Record<string, string | undefined>>;
}

export class CommandDesk {
  readonly #wall: Wall;
  readonly #settings: CommandSettings;
  readonly #arrivals: Arrivals;
  #commands: Promise<Commands> | undefined;

  constructor(wall: Wall, settings: CommandSettings, arrivals: Arrivals) {
    this.#wall = wall;
    this.#settings = settings;
    this.#arrivals = arrivals;
  }

  /** A line for /bin/sh. */
  shell(line: string, call: CommandCall = {}): Promise<RunResult> {
    return this.#run((commands) => {
      this.#requireHeld(commands);
      return commands.shell(line, call);
    });
  }

  /** One of the reading commands, its arguments checked before anything starts. */
  read(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run((commands) => commands.read(command, args, call));
  }

  /** One of the developer tools, with any arguments. */
  develop(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run((commands) => {
      this.#requireHeld(commands);
      return commands.develop(command, args, call);
    });
  }

  /** What stands around commands here. Fails with `no-sandbox` when one is required and missing. */
  async layers(): Promise<Layer[]> {
    return (await this.#open()).layers();
  }

  async close(): Promise<void> {
    if (this.#commands === undefined) return;
    await endAllRuns();
    await this.#commands.then(
      (commands) => commands.close(),
      () => {},
    );
  }

  /** Where nothing may be changed, a program that could write is only run where the system stops it. */
  #requireHeld(commands: Commands): void {
    if (commands.sandboxed || this.#wall.roots.some((root) => root.readOnly === undefined)) return;
    const reason = 'nothing may be changed here, and without bubblewrap a command could';
    fail({ kind: 'no-sandbox', reason });
  }

  async #run(run: (commands: Commands) => Promise<RunResult>): Promise<RunResult> {
    await this.#arrivals.changesDone();
    return run(await this.#open());
  }

  #open(): Promise<Commands> {
    this.#commands ??= this.#prepare();
    return this.#commands;
  }

  async #prepare(): Promise<Commands> {
    const {
      sandbox = 'auto',
      allowNet = false,
      allowCommands = [],
      passEnv = [],
      environment = {},
    } = this.#settings;
    const { path: rg } = await ripgrep();
    return Commands.open({
      wall: this.#wall,
      sandbox,
      allowNet,
      allowCommands,
      passEnv,
      environment,
      ...(rg === undefined ? {} : { given: { rg } }),
    });
  }
}

/** The exit code as a shell would tell it: a signal counts as 128 and its number. */
export function exitCodeOf({ exitCode, signal }: RunResult): number {
  if (exitCode !== null) return exitCode;
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
