/**
 * The engine's commands: opened when the first one is asked for, ended when the engine closes.
 *
 * Finding the programs and trying the sandbox takes a moment, and most sessions never run a command.
 */
import { constants } from 'node:os';
import type { Calls } from '../access/access.ts';
import { EngineFailure, fail } from '../failures.ts';
import { CommandWatch } from '../journal/snapshot/command-changes.ts';
import { type CommandCall, Commands, type Started } from '../run/commands.ts';
import type { RunResult } from '../run/process/run.ts';
import { resolvePrograms } from '../run/programs.ts';
import type { Layer } from '../run/sandbox/report.ts';
import { type SandboxMode, type SandboxPlan, whyNoSandbox } from '../run/sandbox/sandbox.ts';
import { ripgrep } from '../search/ripgrep/ripgrep.ts';

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

interface Opened {
  commands?: Promise<Commands>;
  readonly watch: CommandWatch;
}

export class CommandDesk {
  readonly #calls: Calls;
  readonly #settings: CommandSettings;
  /** Shared by all who run commands through one engine. */
  readonly #opened: Opened;

  constructor(calls: Calls, settings: CommandSettings, opened: Opened = { watch: new CommandWatch() }) {
    this.#calls = calls;
    this.#settings = settings;
    this.#opened = opened;
  }

  as(calls: Calls): CommandDesk {
    return new CommandDesk(calls, this.#settings, this.#opened);
  }

  /** A line for /bin/sh. */
  shell(line: string, call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, (commands, own) => {
      this.#requireHeld(commands);
      return this.#watched(() => commands.shell(line, own));
    });
  }

  /** One of the reading commands, its arguments checked before anything starts. */
  read(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, (commands, own) => commands.read(command, args, own));
  }

  /** One of the developer tools, with any arguments. */
  develop(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, (commands, own) => {
      this.#requireHeld(commands);
      return this.#watched(() => commands.develop(command, args, own));
    });
  }

  /** What stands around commands here. Fails with `no-sandbox` when one is required and missing. */
  async layers(): Promise<Layer[]> {
    return (await this.#open()).layers();
  }

  /** What commands see beyond the system's programs and the given directories. */
  async shown(): Promise<readonly string[]> {
    return (await this.#open()).shown;
  }

  /** How commands are confined, as it was found last. */
  async sandbox(): Promise<SandboxPlan> {
    return (await this.#open()).sandbox;
  }

  /** Why nothing confines commands here, as far as can be told at once; undefined where a sandbox is to be tried. */
  whyUnconfined(): string | undefined {
    const { sandbox = 'auto', environment = {} } = this.#settings;
    const roots = this.#calls.wall.roots.map(({ real }) => real);
    return whyNoSandbox(sandbox, resolvePrograms(['bwrap'], { path: environment.PATH, roots }));
  }

  async close(): Promise<void> {
    const { commands, watch } = this.#opened;
    await commands?.then(
      (opened) => opened.close(),
      () => {},
    );
    watch.close();
  }

  /** Ends every command at once: nobody waits for it any more. */
  async kill(): Promise<void> {
    await this.#opened.commands?.then(
      (opened) => opened.kill(),
      () => {},
    );
  }

  /** Where nothing may be changed, a program that could write is only run where the system stops it. */
  #requireHeld(commands: Commands): void {
    if (commands.sandboxed || this.#calls.wall.roots.some((root) => root.readOnly === undefined)) return;
    const reason = 'nothing may be changed here, and without bubblewrap a command could';
    fail({ kind: 'no-sandbox', reason });
  }

  async #run(
    call: CommandCall,
    run: (commands: Commands, own: CommandCall) => Promise<RunResult>,
  ): Promise<RunResult> {
    const { cwd } = call;
    await this.#calls.arrivals.changesDone();
    const commands = await this.#open();
    try {
      await commands.requireSandbox();
      return await run(commands, { ...call, onStart: (started) => this.#tell(started) });
    } catch (error) {
      if (error instanceof EngineFailure) {
        const { facts } = error;
        // Its arguments start where it would run, and that itself does not.
        this.#calls.tellFailure(facts, 'path' in facts && facts.path === cwd ? undefined : cwd);
      }
      throw error;
    }
  }

  /** Told before the end, which may be that somebody breaks it off. */
  #tell({ cwd, layers, given }: Started): void {
    const { caller } = this.#calls;
    caller.touched({ path: cwd, how: 'ran-in' });
    for (const access of given) caller.touched(access);
    caller.confined(layers);
  }

  /** What the command changes is found and kept. */
  #watched(run: () => Promise<RunResult>): Promise<RunResult> {
    return this.#opened.watch.around(this.#calls, run);
  }

  #open(): Promise<Commands> {
    const opened = this.#opened;
    opened.commands ??= this.#prepare().catch((thrown: unknown) => {
      // A sandbox that is required may be there the next time.
      delete opened.commands;
      throw thrown;
    });
    return opened.commands;
  }

  async #prepare(): Promise<Commands> {
    const {
      sandbox = 'auto',
      allowNet = false,
      allowCommands = [],
      passEnv = [],
      environment = {},
    } = this.#settings;
    const rg = await ripgrep();
    return Commands.open({
      wall: this.#calls.wall,
      sandbox,
      allowNet,
      allowCommands,
      passEnv,
      environment,
      ...(rg.path !== undefined && { given: { rg: { path: rg.installed ?? rg.path, from: rg.path } } }),
    });
  }
}

/** The exit code as a shell would tell it: a signal counts as 128 and its number. */
export function exitCodeOf({ exitCode, signal }: RunResult): number {
  if (exitCode !== null) return exitCode;
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
