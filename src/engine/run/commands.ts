/** Runs the commands of one engine: three profiles that share one wall, one sandbox and one set of programs. */
import type { PathAccess } from '../caller.ts';
import type { GitPlaces } from '../confine/protect/git-places.ts';
import { ownPackage } from '../confine/protect/own-package.ts';
import type { Wall } from '../confine/wall.ts';
import { fail } from '../failures.ts';
import { activeConfinement, type Confinement, confinementReport, maskingReport } from './confinement.ts';
import { GitGuard } from './guards/git-guard.ts';
import { ignoreFilesIn, withoutNewIgnoreFiles, workspaceFilesIn } from './guards/new-ignore-file.ts';
import { OwnNamesGuard } from './guards/own-names-guard.ts';
import { type LaunchRequest, type LaunchSettings, prepareLaunch } from './launch.ts';
import { readingCommands } from './policy/reading-commands.ts';
import { workingSetpriv } from './probe-programs.ts';
import { variablesNamed } from './process/environment.ts';
import { LiveRuns } from './process/live-runs.ts';
import type { OutputListener, RunResult } from './process/run.ts';
import type { Profile } from './profiles.ts';
import { developerCommands, developerProfile, readingProfile, shellProfile } from './profiles.ts';
import type { BundledProgram, Programs } from './programs.ts';
import { copyBundledPrograms, programNamed, requireAllowed, resolvePrograms } from './programs.ts';
import { type CheckedCall, ReadingCommandCheck } from './reading-command.ts';
import { ALTERNATIVES, systemDirectories } from './sandbox/bubblewrap.ts';
import { guardedPlaces, protectRoots } from './sandbox/guarded-places.ts';
import { installationsOf } from './sandbox/installations.ts';
import { findIpcEndpoints } from './sandbox/ipc-endpoints.ts';
import { planSandbox, type SandboxPlan } from './sandbox/sandbox.ts';
import type { SandboxMode } from './sandbox/why-no-sandbox.ts';
import { findWithheldPlaces } from './sandbox/withheld-places.ts';
import { Scratch } from './scratch.ts';

export interface CommandsOptions {
  wall: Wall;
  sandbox: SandboxMode;
  allowNet: boolean;
  /** Developer tools that the operator allows besides the usual ones. */
  allowCommands?: readonly string[];
  /** Names of variables that commands get from the server's environment. */
  passEnv?: readonly string[];
  /** The environment of the server. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Programs that come with the package, such as rg. */
  bundled?: Readonly<Record<string, BundledProgram>>;
}

export interface CommandCall {
  /** Absolute, or relative to the first root. Default: the first root. */
  cwd?: string | undefined;
  timeoutMs?: number | undefined;
  maxOutputBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Called when all checks have passed and the program is about to start. */
  onStart?: ((start: CommandStart) => void) | undefined;
  /** Called with everything that the command prints, as it comes. */
  onOutput?: OutputListener | undefined;
}

/** What is known about a command when it starts. */
export interface CommandStart {
  /** Where it runs, with all links resolved. */
  cwd: string;
  /** The names of the measures that confine it. */
  confinement: readonly string[];
  /** The paths among the arguments of a reading command. */
  pathArguments: readonly PathAccess[];
}

/** A command whose arguments were checked, in the directory in which it runs. */
interface CheckedRun extends Pick<LaunchRequest, 'profile' | 'cwd'> {
  call: CommandCall;
  checked: CheckedCall;
}

/** Programs that only start other programs: no command sees their installations. */
const LAUNCHERS = ['bwrap', 'setpriv'];

export class Commands {
  /** The names that `runDeveloperTool` takes. */
  readonly developerCommands: readonly string[];
  readonly #wall: Wall;
  readonly #programs: Programs;
  readonly #chooseSandbox: () => Promise<SandboxPlan>;
  /** Includes the result of the last trial of the sandbox. */
  #settings: LaunchSettings;
  readonly #runs = new LiveRuns();
  readonly #reading: ReadingCommandCheck;
  readonly #unprotect: () => void;
  readonly #git: GitGuard;
  readonly #own: OwnNamesGuard;

  private constructor(
    wall: Wall,
    allowed: readonly string[],
    programs: Programs,
    settings: LaunchSettings,
    chooseSandbox: () => Promise<SandboxPlan>,
  ) {
    this.#wall = wall;
    this.developerCommands = allowed;
    this.#programs = programs;
    this.#settings = settings;
    this.#chooseSandbox = chooseSandbox;
    this.#unprotect = wall.protectedPlaces.add(settings.scratch.path);
    this.#reading = new ReadingCommandCheck(wall, programs);
    this.#git = new GitGuard(wall);
    this.#own = new OwnNamesGuard(wall);
  }

  /** Finds the programs and tries the sandbox. Fails with `no-sandbox` when one is required and missing. */
  static async open(options: CommandsOptions): Promise<Commands> {
    const scratch = Scratch.make(options.wall.roots.map(({ real }) => real));
    try {
      return await Commands.#openIn(scratch, options);
    } catch (thrown) {
      scratch.drop();
      throw thrown;
    }
  }

  static async #openIn(scratch: Scratch, options: CommandsOptions): Promise<Commands> {
    const { wall, environment, allowCommands = [], passEnv = [] } = options;
    const roots = wall.roots.map(({ real }) => real);
    const allowed = [...new Set([...developerCommands, ...allowCommands])];
    const names = [...readingCommands.keys(), ...allowed, ...LAUNCHERS];
    const bundled = copyBundledPrograms(options.bundled ?? {}, roots, scratch.bin);
    const programs = resolvePrograms(names, { path: environment.PATH, roots, bundled });
    const bwrap = { path: programs.found.get('bwrap'), passedOver: programs.passedOver.get('bwrap') };
    const chooseSandbox = () => planSandbox(options.sandbox, bwrap, options.allowNet);
    const sandbox = await chooseSandbox();
    // Without a sandbox, setpriv keeps a command from gaining privileges, as with sudo, and ends it with the server.
    // In a sandbox, bubblewrap does both.
    const setpriv = sandbox.kind === 'bubblewrap' ? undefined : await workingSetpriv(programs);
    const system = [...systemDirectories(roots), ALTERNATIVES];
    const runnable = [...programs.found].flatMap(([name, program]) =>
      LAUNCHERS.includes(name) ? [] : program,
    );
    const settings: LaunchSettings = {
      roots: wall.roots.map(({ real, given, dir, readOnly }) => {
        return { path: real, identity: dir.identity, given, fd: dir.fd, writable: readOnly === undefined };
      }),
      guarded: [],
      masked: [],
      withheld: [],
      sandbox,
      scratch,
      path: programs.path,
      passedVariables: variablesNamed(passEnv, environment),
      installations: installationsOf(runnable, { system, roots, environment }),
      setpriv,
    };
    return new Commands(wall, allowed, programs, settings, chooseSandbox);
  }

  /** Runs a command that only reads, after a check of its arguments. */
  runReadingCommand(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    const { signal } = call;
    return this.#run(call, readingProfile, (cwd) => this.#reading.check({ command, args, cwd, signal }));
  }

  /** Runs one of the developer tools, with any arguments. */
  runDeveloperTool(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, developerProfile, () => {
      this.requireDeveloperCommand(command);
      requireNoNul('args', args);
      return { program: programNamed(this.#programs, command), args };
    });
  }

  requireDeveloperCommand(command: string): void {
    requireAllowed(command, this.developerCommands);
  }

  /** Runs a line in /bin/sh. */
  runShellLine(line: string, call: CommandCall = {}): Promise<RunResult> {
    return this.#run(call, shellProfile, () => {
      requireNoNul('command', [line]);
      return { program: '/bin/sh', args: ['-c', line] };
    });
  }

  /** Whether a sandbox confines commands to the roots and protects read-only ones. */
  get sandboxed(): boolean {
    return this.#settings.sandbox.kind === 'bubblewrap';
  }

  get sandbox(): SandboxPlan {
    return this.#settings.sandbox;
  }

  /**
   * Tries a sandbox that failed last time again, and fails if it still does. Does nothing if the server runs without
   * one.
   */
  async requireSandbox(): Promise<void> {
    if (this.sandbox.kind !== 'failing') return;
    const sandbox = await this.#chooseSandbox();
    this.#settings = { ...this.#settings, sandbox };
    if (sandbox.kind === 'failing') fail({ kind: 'no-sandbox', reason: sandbox.why });
  }

  async confinement(): Promise<Confinement[]> {
    const settings = this.#settings;
    const report = confinementReport(settings);
    if (settings.roots.every(({ writable }) => writable)) return report;
    const endpoints = this.sandboxed ? await findIpcEndpoints(settings.roots, undefined) : undefined;
    return [...report, maskingReport(endpoints, settings)];
  }

  /** What commands see besides the system's directories and the roots: the installations of their programs. */
  get visiblePaths(): readonly string[] {
    const { visible } = this.#settings.installations;
    return this.sandboxed ? visible.flatMap(({ path, empty }) => (empty ? [] : path)) : [];
  }

  /** Ends the commands that still run, and removes what the server made for them. */
  async close(): Promise<void> {
    await this.#runs.end();
    this.#unprotect();
    this.#settings.scratch.drop();
  }

  /** Kills every command at once, without waiting: the client that asked for them is gone. */
  kill(): void {
    this.#runs.kill();
  }

  /** The settings, with what this command must not change, read or connect to. */
  async #settingsFor(
    profile: Profile,
    git: GitPlaces | undefined,
    signal: AbortSignal | undefined,
  ): Promise<LaunchSettings> {
    if (!this.sandboxed) return this.#settings;
    const withheld = await findWithheldPlaces(this.#wall, signal);
    if (!profile.writes) return { ...this.#settings, withheld };
    const own = this.#wall.protectedPlaces.list().map(({ path }) => path);
    const paths = [
      ...own,
      ...ownPackage().missing,
      ...ignoreFilesIn(this.#wall),
      ...workspaceFilesIn(this.#wall),
      ...(git?.fixed ?? []),
    ];
    const roots = protectRoots(this.#settings.roots, paths);
    const { paths: masked } = await findIpcEndpoints(roots, signal);
    return { ...this.#settings, roots, masked, withheld, guarded: guardedPlaces(roots, paths) };
  }

  async #run(
    call: CommandCall,
    profile: Profile,
    check: (cwd: string) => CheckedCall | Promise<CheckedCall>,
  ): Promise<RunResult> {
    await this.requireSandbox();
    this.#requireSandboxIfWithheld();
    return this.#wall.at(call.cwd ?? this.#wall.roots[0]!.real, {}, async (place) => {
      const checked = await check(place.path);
      return place.inside((dir) => {
        const cwd = { handle: dir.handlePath, path: place.path };
        return this.#guarded(profile, place.path, (git) => this.#start({ call, profile, checked, cwd }, git));
      });
    });
  }

  /** Runs a command. If it may write in a sandbox, renames what it made where it may make nothing. */
  async #guarded(
    profile: Profile,
    cwd: string,
    run: (git?: GitPlaces) => Promise<RunResult>,
  ): Promise<RunResult> {
    if (!profile.writes || !this.sandboxed) return run();
    const before = ignoreFilesIn(this.#wall);
    const result = await this.#own.guard(() => this.#git.guard(cwd, run));
    return withoutNewIgnoreFiles(this.#wall, before, result);
  }

  async #start({ call, profile, checked, cwd }: CheckedRun, git: GitPlaces | undefined): Promise<RunResult> {
    const { program, args, pathArguments = [] } = checked;
    const { timeoutMs = profile.timeoutMs, maxOutputBytes = profile.maxOutputBytes, signal, onOutput } = call;
    const confinement = activeConfinement(this.#settings, profile);
    const settings = await this.#settingsFor(profile, git, signal);
    return this.#runs.run(
      (mark) => prepareLaunch({ settings, profile, program, args, cwd, timeoutMs }, mark),
      {
        program,
        forks: profile.forks,
        shell: profile.shell,
        timeoutMs,
        maxOutputBytes,
        signal,
        onStart: () => call.onStart?.({ cwd: cwd.path, confinement, pathArguments }),
        onOutput,
      },
    );
  }

  /** Fails when files are withheld and nothing would keep a command from reading them. */
  #requireSandboxIfWithheld(): void {
    if (this.#wall.withheld === undefined || this.sandboxed) return;
    const reason = 'files are denied or hidden here, and without bubblewrap a command could read them';
    fail({ kind: 'no-sandbox', reason });
  }
}

/** Fails for a NUL character: the system would cut the argument off there. */
function requireNoNul(field: string, words: readonly string[]): void {
  if (!words.some((word) => word.includes('\0'))) return;
  const message = `${field} cannot contain a NUL character`;
  fail({ kind: 'bad-arguments', problems: [{ field, missing: false, message }] });
}
