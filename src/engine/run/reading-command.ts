/** Checks a command that only reads: decides which program runs with which arguments, and what it does at each path. */
import { resolve } from 'node:path';
import type { How, PathAccess } from '../caller.ts';
import type { Wall } from '../confine/wall.ts';
import { mapInTurns, Yielder } from '../event-loop.ts';
import { checkArgv } from './policy/check.ts';
import type { PathArgument } from './policy/declaration.ts';
import { requireShortLine } from './policy/length.ts';
import { lookedUpInTurns, pathsThroughWall } from './policy/path-arguments.ts';
import { readingCommands } from './policy/reading-commands.ts';
import { gnuPrograms } from './probe-programs.ts';
import { type Programs, programNamed } from './programs.ts';

export interface CheckedCall {
  program: string;
  args: readonly string[];
  pathArguments?: readonly PathAccess[];
}

interface ReadingCall {
  command: string;
  args: readonly string[];
  /** The working directory, with all links resolved. */
  cwd: string;
  signal: AbortSignal | undefined;
}

export class ReadingCommandCheck {
  readonly #wall: Wall;
  readonly #programs: Programs;
  /** The programs that are GNU's. The first command finds out. */
  #gnu: Promise<ReadonlySet<string>> | undefined;

  constructor(wall: Wall, programs: Programs) {
    this.#wall = wall;
    this.#programs = programs;
  }

  async check({ command, args, cwd, signal }: ReadingCall): Promise<CheckedCall> {
    requireShortLine(command, args);
    this.#gnu ??= gnuPrograms(this.#programs);
    const gnu = await this.#gnu;
    const throughWall = pathsThroughWall(this.#wall, cwd);
    const yielder = new Yielder(signal);
    const resolvePath = await lookedUpInTurns(throughWall, args, yielder);
    await yielder.pause();
    const checked = checkArgv(command, args, {
      policies: readingCommands,
      resolvePath,
      isGnu: (name) => gnu.has(name),
    });
    const pathArguments = await mapInTurns(checked.paths, yielder, (path) =>
      accessOf(path, cwd, checked.metadataOnly),
    );
    await yielder.pause();
    return { program: programNamed(this.#programs, command), args: checked.args, pathArguments };
  }
}

/** What a reading command does at a path among its arguments. */
function accessOf({ path, type, real }: PathArgument, cwd: string, metadataOnly: boolean): PathAccess {
  return { path: real ?? resolve(cwd, path), how: howOf(type, metadataOnly) };
}

function howOf(type: PathArgument['type'], metadataOnly: boolean): How {
  if (type === 'directory') return metadataOnly ? 'listed' : 'searched';
  return metadataOnly || type === 'missing' ? 'looked-at' : 'read';
}
