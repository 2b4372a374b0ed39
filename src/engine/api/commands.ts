/**
 * Which commands can be run, and what confines them.
 *
 * The engine looks for programs and tries the sandbox when the first command comes: most sessions never run one.
 */
import { constants } from 'node:os';
import type { Access } from '../access/access.ts';
import { EngineFailure, fail } from '../failures.ts';
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

export class CommandsApi {
  readonly #access: Access;
  readonly #settings: CommandSettings;
  /** Shared by all who run commands through one engine. */
  readonly #opened: { commands?: Promise<Commands> };

  constructor(access: Access, settings: CommandSettings, opened: { commands?: Promise<Commands> } = {}) {
    this.#access = access;
    this.#settings = settings;
    this.#opened = opened;
  }

  as(access: Access): CommandsApi {
    return new CommandsApi(access, this.#settings, this.#opened);
  }

  /** A line for /bin/sh. */
  shell(line: string, call: CommandCall = {}): Promise<RunResult> {
    return this.#change(call, (commands, own) => commands.shell(line, own));
  }

  /** One of the reading commands, its arguments checked before anything starts. */
  read(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, (commands, own) =>
      this.#access.read([], { holdsOthers: false }, () => commands.read(command, args, own)),
    );
  }

  /** One of the developer tools, with any arguments. */
  develop(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#change(
      call,
      (commands, own) => commands.develop(command, args, own),
      (commands) => commands.requireDeveloperCommand(command),
    );
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
    const roots = this.#access.wall.roots.map(({ real }) => real);
    return whyNoSandbox(sandbox, resolvePrograms(['bwrap'], { path: environment.PATH, roots }));
  }

  async close(): Promise<void> {
    await this.#opened.commands?.then(
      (opened) => opened.close(),
      () => {},
    );
  }

  /** Ends every command at once: nobody waits for it any more. */
  async kill(): Promise<void> {
    await this.#opened.commands?.then(
      (opened) => opened.kill(),
      () => {},
    );
  }

  /** Where nothing may be changed, a program that could write runs only in a sandbox that stops it. */
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
      // What is refused anyway does not wait for a look at all files first.
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
    try {
      await commands.requireSandbox();
      return await run(commands, { ...call, onStart: (started) => this.#report(started) });
    } catch (error) {
      if (error instanceof EngineFailure) {
        const { facts } = error;
        // The command's arguments start at its working directory; that directory itself starts at the first root.
        this.#access.reportFailure(facts, 'path' in facts && facts.path === cwd ? undefined : cwd);
      }
      throw error;
    }
  }

  /** Reports when the command starts: it may never end by itself. */
  #report({ cwd, layers, given }: Started): void {
    const { caller } = this.#access;
    caller.touched({ path: cwd, how: 'ran-in' });
    for (const access of given) caller.touched(access);
    caller.confined(layers);
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
      wall: this.#access.wall,
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
