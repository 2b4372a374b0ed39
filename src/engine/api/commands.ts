/**
 * Runs commands, and says what confines them.
 *
 * The engine looks for programs and tries the sandbox only when the first command comes: most sessions never run one.
 */
import { constants } from 'node:os';
import type { Access } from '../access/access.ts';
import { ITEMS_PER_CHECK, inTurns, type Steps, Yielder } from '../event-loop.ts';
import { EngineFailure, fail } from '../failures.ts';
import { type CommandCall, type CommandStart, Commands } from '../run/commands.ts';
import type { Confinement } from '../run/confinement.ts';
import type { RunResult } from '../run/process/run.ts';
import type { SandboxPlan } from '../run/sandbox/sandbox.ts';
import type { SandboxMode } from '../run/sandbox/why-no-sandbox.ts';
import { ripgrep } from '../search/ripgrep/ripgrep.ts';

export interface CommandSettings {
  sandbox?: SandboxMode;
  allowNet?: boolean;
  /** Developer tools beyond the usual ones. */
  allowCommands?: readonly string[];
  /** Names of variables that commands inherit from `environment`. */
  passEnv?: readonly string[];
  /** Where PATH and the passed variables come from. */
  environment?: Readonly<Record<string, string | undefined>>;
}

export class CommandsApi {
  readonly #access: Access;
  readonly #settings: CommandSettings;
  /** Shared by all callers of one engine. */
  readonly #opened: { commands?: Promise<Commands> };

  constructor(access: Access, settings: CommandSettings, opened: { commands?: Promise<Commands> } = {}) {
    this.#access = access;
    this.#settings = settings;
    this.#opened = opened;
  }

  as(access: Access): CommandsApi {
    return new CommandsApi(access, this.#settings, this.#opened);
  }

  /** Runs a shell command line. */
  runShellLine(line: string, call: CommandCall = {}): Promise<RunResult> {
    return this.#change(call, (commands, own) => commands.runShellLine(line, own));
  }

  /** Runs one of the reading commands, after checking its arguments. */
  runReadingCommand(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, (commands, own) =>
      this.#access.read([], { blocksLaterCalls: false }, () =>
        commands.runReadingCommand(command, args, own),
      ),
    );
  }

  /** Runs one of the developer tools, with any arguments. */
  runDeveloperTool(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#change(
      call,
      (commands, own) => commands.runDeveloperTool(command, args, own),
      (commands) => commands.requireDeveloperCommand(command),
    );
  }

  /** What confines commands here. Fails with `no-sandbox` when a sandbox is required and missing. */
  async confinement(): Promise<Confinement[]> {
    return (await this.#open()).confinement();
  }

  /** The paths that commands see besides the system's directories and the roots. */
  async visiblePaths(): Promise<readonly string[]> {
    return (await this.#open()).visiblePaths;
  }

  /** The sandbox that the next command gets, going by the last trial. */
  async sandbox(): Promise<SandboxPlan> {
    return (await this.#open()).sandbox;
  }

  async close(): Promise<void> {
    await this.#opened.commands?.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  /** Kills every command at once: no client waits for them any more. */
  async kill(): Promise<void> {
    await this.#opened.commands?.then(
      (opened) => opened.kill(),
      () => {},
    );
  }

  /** If all roots are read-only, a program that could write runs only in a sandbox. */
  #requireConfined(commands: Commands): void {
    if (commands.sandboxed || this.#access.wall.roots.some((root) => root.readOnly === undefined)) return;
    const reason = 'nothing may be changed here, and without bubblewrap a command could';
    fail({ kind: 'no-sandbox', reason });
  }

  #change(
    call: CommandCall,
    run: (commands: Commands, own: CommandCall) => Promise<RunResult>,
    check?: (commands: Commands) => void,
  ): Promise<RunResult> {
    return this.#run(call, (commands, own) => {
      this.#requireConfined(commands);
      // A command that is refused anyway should not first wait for a scan of all files.
      check?.(commands);
      return this.#access.change('anywhere', {}, () => run(commands, own));
    });
  }

  async #run(
    call: CommandCall,
    run: (commands: Commands, own: CommandCall) => Promise<RunResult>,
  ): Promise<RunResult> {
    const { cwd } = call;
    const commands = await this.#open();
    let reporting: Promise<void> | undefined;
    const onStart = (started: CommandStart) => {
      reporting = inTurns(this.#reporting(started), new Yielder(undefined)) ?? undefined;
    };
    try {
      await commands.requireSandbox();
      return await run(commands, { ...call, onStart });
    } catch (error) {
      if (error instanceof EngineFailure) {
        const { facts } = error;
        // Paths in the arguments start at the working directory, which itself starts at the first root.
        this.#access.reportFailure(facts, 'path' in facts && facts.path === cwd ? undefined : cwd);
      }
      throw error;
    } finally {
      await reporting;
    }
  }

  /** Reports what a command touches when it starts, since it may never end by itself. */
  *#reporting({ cwd, confinement, pathArguments }: CommandStart): Steps<void> {
    const { caller } = this.#access;
    caller.confined(confinement);
    caller.touched({ path: cwd, how: 'ran-in' });
    for (const [i, access] of pathArguments.entries()) {
      if (i % ITEMS_PER_CHECK === ITEMS_PER_CHECK - 1) yield;
      caller.touched(access);
    }
  }

  #open(): Promise<Commands> {
    const opened = this.#opened;
    opened.commands ??= this.#prepare().catch((thrown: unknown) => {
      // A required sandbox that is missing now may be available the next time.
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
      wall: this.#access.wall,
      sandbox,
      allowNet,
      allowCommands,
      passEnv,
      environment,
      ...(rg.path !== undefined && { bundled: { rg: { path: rg.installed ?? rg.path, copy: rg.path } } }),
    });
  }
}

/** The exit code as a shell reports it: for a signal, 128 plus its number. */
export function shellExitCode({ exitCode, signal }: RunResult): number {
  if (exitCode !== null) return exitCode;
  return 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
