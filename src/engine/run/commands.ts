/** Commands for one server: three front doors on the same wall, the same sandbox and the same programs. */
import { resolve } from 'node:path';
import type { How, PathAccess } from '../caller.ts';
import type { GitPlaces } from '../confine/protect/git-places.ts';
import type { Wall } from '../confine/wall.ts';
import { fail } from '../failures.ts';
import { checkArgv } from './policy/check.ts';
import type { SeenPath } from './policy/declaration.ts';
import { pathsThroughWall } from './policy/path-arguments.ts';
import { readingCommands } from './policy/reading-commands.ts';
import { gnuPrograms, workingSetpriv } from './probe-programs.ts';
import { passedVariables } from './process/environment.ts';
import type { OutputListener, Setting } from './process/launch.ts';
import type { RunResult } from './process/run.ts';
import { endRunsOf, killRunsOf, runCommand } from './process/run.ts';
import { Scratch } from './process/scratch.ts';
import type { FrontDoor } from './profiles.ts';
import { developerCommands, developerTools, readingTools, shellLine } from './profiles.ts';
import type { GivenProgram, Programs } from './programs.ts';
import { adoptPrograms, programNamed, requireAllowed, resolvePrograms } from './programs.ts';
import { ALTERNATIVES, systemDirectories } from './sandbox/bubblewrap.ts';
import { guardedPlaces, withoutProtected } from './sandbox/guarded-places.ts';
import { installationsOf } from './sandbox/installations.ts';
import { withoutNewGitControl } from './sandbox/new-git-control.ts';
import { withOwnLinks } from './sandbox/own-links.ts';
import type { Layer } from './sandbox/report.ts';
import { layersAround, layersReport } from './sandbox/report.ts';
import type { SandboxMode, SandboxPlan } from './sandbox/sandbox.ts';
import { planSandbox } from './sandbox/sandbox.ts';

export interface CommandsOptions {
  wall: Wall;
  sandbox: SandboxMode;
  allowNet: boolean;
  /** Programs beyond the usual ones that may be run by name. */
  allowCommands?: readonly string[];
  /** Names of variables to pass through. */
  passEnv?: readonly string[];
  /** The environment of the server. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Programs that come with the package, as rg. */
  given?: Readonly<Record<string, GivenProgram>>;
}

export interface CommandCall {
  /** A path as the wall takes it. Default: the first root. */
  cwd?: string | undefined;
  timeoutMs?: number | undefined;
  maxOutputBytes?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Told when all is checked and the program is about to start. */
  onStart?: ((started: Started) => void) | undefined;
  /** Told of everything that is printed, as it comes. */
  onOutput?: OutputListener | undefined;
}

/** What is known of a command before it has run. */
export interface Started {
  /** Where it runs, with all links resolved. */
  cwd: string;
  /** What stands around it. */
  layers: readonly string[];
  /** The paths that it was given, where those are looked at. */
  given: readonly PathAccess[];
}

const OURS = ['bwrap', 'setpriv'];

interface Chosen {
  program: string;
  args: readonly string[];
  given?: readonly PathAccess[];
}

export class Commands {
  /** The programs that `develop` takes. */
  readonly developerCommands: readonly string[];
  readonly #wall: Wall;
  readonly #programs: Programs;
  readonly #chooseSandbox: () => Promise<SandboxPlan>;
  /** With the sandbox as it was chosen last. */
  #setting: Setting;
  readonly #gnu: ReadonlySet<string>;
  readonly #unprotect: () => void;
  /** Every repository that was there before a command. */
  readonly #repositories = new Set<string>();
  /** Commands that overlap are compared with what there was before the first: none may adopt what another made. */
  #overlap: { running: number; before?: GitPlaces } | undefined;

  private constructor(
    wall: Wall,
    allowed: readonly string[],
    programs: Programs,
    setting: Setting,
    gnu: Set<string>,
    chooseSandbox: () => Promise<SandboxPlan>,
  ) {
    this.#wall = wall;
    this.developerCommands = allowed;
    this.#programs = programs;
    this.#setting = setting;
    this.#gnu = gnu;
    this.#chooseSandbox = chooseSandbox;
    this.#unprotect = wall.protectedPlaces.add(setting.scratch.path);
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
    const names = [...readingCommands.keys(), ...allowed, ...OURS];
    const given = adoptPrograms(options.given ?? {}, roots, scratch.bin);
    const programs = resolvePrograms(names, { path: environment.PATH, roots, given });
    const chooseSandbox = () => planSandbox(options.sandbox, programs, options.allowNet);
    const [sandbox, gnu, setpriv] = await Promise.all([
      chooseSandbox(),
      gnuPrograms(programs),
      workingSetpriv(programs),
    ]);
    const system = [...systemDirectories(roots), ALTERNATIVES];
    // These two start what is started, and are not to be seen themselves.
    const started = [...programs.found].flatMap(([name, program]) => (OURS.includes(name) ? [] : program));
    const setting: Setting = {
      roots: wall.roots.map(({ real, given, dir, readOnly }) => {
        return { path: real, identity: dir.identity, given, fd: dir.fd, writable: readOnly === undefined };
      }),
      guarded: [],
      sandbox,
      scratch,
      path: programs.path,
      passed: passedVariables(passEnv, environment),
      installations: installationsOf(started, { system, roots, environment }),
      setpriv,
    };
    return new Commands(wall, allowed, programs, setting, gnu, chooseSandbox);
  }

  /** A command that only reads: its arguments are checked before anything starts. */
  read(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#inDirectory(call, readingTools, (cwd) => {
      const checked = checkArgv(command, args, {
        policies: readingCommands,
        resolvePath: pathsThroughWall(this.#wall, cwd),
        isGnu: (name) => this.#gnu.has(name),
      });
      const given = checked.reads.map((seen) => accessOf(seen, cwd, checked.looks));
      return { program: programNamed(this.#programs, command), args: checked.args, given };
    });
  }

  /** A program of the list, with arguments of any kind. */
  develop(command: string, args: readonly string[], call: CommandCall = {}): Promise<RunResult> {
    return this.#inDirectory(call, developerTools, () => {
      this.requireDeveloperCommand(command);
      requireNoNul('args', args);
      return { program: programNamed(this.#programs, command), args };
    });
  }

  requireDeveloperCommand(command: string): void {
    requireAllowed(command, this.developerCommands);
  }

  /** A line for the shell. */
  shell(line: string, call: CommandCall = {}): Promise<RunResult> {
    return this.#inDirectory(call, shellLine, () => {
      requireNoNul('command', [line]);
      return { program: '/bin/sh', args: ['-c', line] };
    });
  }

  /** Whether the system itself keeps commands inside, and read-only roots read-only. */
  get sandboxed(): boolean {
    return this.#setting.sandbox.kind === 'bubblewrap';
  }

  get sandbox(): SandboxPlan {
    return this.#setting.sandbox;
  }

  /** A sandbox that failed is tried again; while it fails, no command runs. */
  async requireSandbox(): Promise<void> {
    if (this.sandbox.kind !== 'failing') return;
    const sandbox = await this.#chooseSandbox();
    this.#setting = { ...this.#setting, sandbox };
    if (sandbox.kind === 'failing') fail({ kind: 'no-sandbox', reason: sandbox.why });
  }

  layers(): Layer[] {
    return layersReport(this.#setting);
  }

  /** What commands see of places that are neither the system's nor given: the installations of their programs. */
  get shown(): readonly string[] {
    const { shown } = this.#setting.installations;
    return this.sandboxed ? shown.flatMap(({ path, empty }) => (empty ? [] : path)) : [];
  }

  /** Ends what still runs, and removes what was made for it. */
  async close(): Promise<void> {
    await endRunsOf(this);
    this.#unprotect();
    this.#setting.scratch.drop();
  }

  /** Ends what runs at once, since nobody waits for it any more. */
  kill(): void {
    killRunsOf(this);
  }

  /** With what this command must leave alone. */
  #settingFor(door: FrontDoor, git: GitPlaces | undefined): Setting {
    if (!door.writes || !this.sandboxed) return this.#setting;
    const own = this.#wall.protectedPlaces.list().map(({ path }) => path);
    const paths = [...own, ...(git?.fixed ?? [])];
    const roots = withoutProtected(this.#setting.roots, paths);
    return { ...this.#setting, roots, guarded: guardedPlaces(roots, paths) };
  }

  async #inDirectory(
    call: CommandCall,
    door: FrontDoor,
    choose: (cwd: string) => Chosen,
  ): Promise<RunResult> {
    await this.requireSandbox();
    const place = this.#wall.resolve(call.cwd ?? this.#wall.roots[0]!.real);
    try {
      const { program, args, given = [] } = choose(place.path);
      const started = { cwd: place.path, layers: layersAround(this.#setting, door), given };
      const dir = place.enter();
      const run = (git?: GitPlaces) =>
        runCommand({
          runner: this,
          program,
          args,
          setting: this.#settingFor(door, git),
          door,
          cwd: { handle: dir.handlePath, path: place.path },
          timeoutMs: call.timeoutMs ?? door.timeoutMs,
          maxOutputBytes: call.maxOutputBytes ?? door.maxOutputBytes,
          signal: call.signal,
          onStart: () => call.onStart?.(started),
          onOutput: call.onOutput,
        });
      try {
        if (!door.writes || !this.sandboxed) return await run();
        return withOwnLinks(this.#wall, await this.#guardingGit(place.path, run));
      } finally {
        dir.close();
      }
    } finally {
      place.close();
    }
  }

  /** Runs with Git's configuration and hooks as they are, and takes back what was added to them. */
  async #guardingGit(cwd: string, run: (git?: GitPlaces) => Promise<RunResult>): Promise<RunResult> {
    this.#overlap ??= { running: 0 };
    const overlap = this.#overlap;
    overlap.running++;
    try {
      const now = await this.#wall.gitPlaces(cwd, this.#repositories);
      if (now === undefined) return await run();
      overlap.before ??= now;
      for (const path of overlap.before.repositories.keys()) this.#repositories.add(path);
      const result = await run(now);
      return await withoutNewGitControl(this.#wall, cwd, overlap.before, result);
    } finally {
      overlap.running--;
      if (overlap.running === 0) this.#overlap = undefined;
    }
  }
}

/** What a reading command does at a path that it was given. */
function accessOf({ path, type, real }: SeenPath, cwd: string, looks: boolean): PathAccess {
  return { path: real ?? resolve(cwd, path), how: howOf(type, looks) };
}

function howOf(type: SeenPath['type'], looks: boolean): How {
  if (type === 'directory') return looks ? 'listed' : 'searched';
  return looks || type === 'missing' ? 'looked-at' : 'read';
}

/** No program can be given one. */
function requireNoNul(field: string, words: readonly string[]): void {
  if (!words.some((word) => word.includes('\0'))) return;
  const message = `${field} cannot contain a NUL character`;
  fail({ kind: 'bad-arguments', problems: [{ field, missing: false, message }] });
}
