/** Open directories: the operations that programs need most, each with one call; `engine` has all operations. */
import { resolve } from 'node:path';
import {
  type Call,
  type CommandCall,
  type CommandSettings,
  type Engine,
  type EntryFilter,
  type FileDiff,
  fail,
  type JournalEntry,
  type ListedEntry,
  type PlannedFile,
  type RunResult,
  type StateSource,
  type UndoOptions,
  type UndoOutcome,
} from '../engine/index.ts';
import { type Edit, failOfRefusal } from './edit.ts';
import type { ModelTools, ToolsOptions } from './model-tools.ts';
import type { Surroundings } from './surroundings.ts';
import { requireWholeText } from './whole-text.ts';

export type { Edit } from './edit.ts';

export interface SearchOptions extends Call {
  /** The directory or file to search. Default: the first directory. */
  in?: string;
  /** Searches only files that match one of these globs. */
  include?: readonly string[];
  /** Skips everything that matches one of these globs. */
  exclude?: readonly string[];
  /** Whether to search what `.gitignore` and `.ignore` files name. Default: false. */
  ignored?: boolean;
  /** The maximum number of results. Default: 1000. */
  max?: number;
}

export interface Found {
  /** Relative to the directory that was searched. */
  path: string;
  /** The number of the line, starting at 1. */
  line: number;
  text: string;
}

export interface PatchedFile {
  /** Undefined for a file that the patch creates. */
  from: string | undefined;
  /** Undefined for a file that the patch deletes. */
  to: string | undefined;
}

/** What `tools` needs in addition to the engine. */
export interface Opened extends Surroundings {
  source: StateSource | undefined;
  sandbox: CommandSettings['sandbox'];
}

const DEFAULT_MAX = 1000;

export class OpenFiles {
  /** All operations with all their options. */
  readonly engine: Engine;
  readonly #opened: Opened;
  readonly #closers: (() => Promise<void>)[] = [];

  constructor(engine: Engine, opened: Opened) {
    this.engine = engine;
    this.#opened = opened;
  }

  /** The text of a file, whatever its encoding; fails with `not-text` when the file is not text. */
  async read(path: string, options: Call = {}): Promise<string> {
    const { text, bytes } = await this.engine.files.readDecoded(path, options);
    return text ?? fail({ kind: 'not-text', path, why: bytes.includes(0) ? 'nul' : 'not-utf8' });
  }

  async readBytes(path: string, options: Call = {}): Promise<Buffer> {
    return (await this.engine.files.read(path, options)).bytes;
  }

  list(path = '.', options: Call = {}): Promise<ListedEntry[]> {
    return this.engine.files.list(path, options);
  }

  /** Creates or replaces a file, and creates missing directories. A replaced text file keeps its encoding. */
  async write(path: string, content: string | Buffer, options: Call = {}): Promise<void> {
    requireWholeText({ path, content });
    if (typeof content === 'string') await this.engine.files.writeText(path, content, options);
    else await this.engine.files.write(path, content, options);
  }

  /**
   * Replaces texts, all of them or none. Each must occur exactly once in the file, but indentation, blanks and quotes
   * may differ. Fails with `no-match` or `not-unique`. Returns the changes as a unified diff.
   */
  async edit(path: string, edits: Edit | readonly Edit[], options: Call = {}): Promise<{ diff: string }> {
    const list = [edits].flat() as Edit[];
    for (const { newText } of list) requireWholeText({ newText });
    const { result } = await this.engine.files.editList(path, list, { ...options, name: path });
    return 'refusal' in result ? failOfRefusal(path, list, result) : { diff: result.diff };
  }

  /** Applies unified diffs, or a patch that starts with `*** Begin Patch`, to all its files or to none. */
  async patch(patch: string, options: Call & { dryRun?: boolean } = {}): Promise<PatchedFile[]> {
    requireWholeText({ patch });
    const plans = await this.engine.files.planPatch(patch, options);
    const placed = plans.map((plan): PlannedFile => {
      return { ...plan, from: this.#absolute(plan.from), to: this.#absolute(plan.to) };
    });
    await this.engine.files.patchFiles(placed, options);
    return plans.map(({ from, to }) => ({ from, to }));
  }

  async remove(path: string, options: Call & { recursive?: boolean } = {}): Promise<void> {
    await this.engine.files.remove(path, options);
  }

  async move(from: string, to: string, options: Call & { overwrite?: boolean } = {}): Promise<void> {
    requireWholeText({ to });
    await this.engine.files.move(from, to, options);
  }

  /** The lines that match a regular expression, which may be a string, sorted by path and line. */
  async grep(pattern: string | RegExp, options: SearchOptions = {}): Promise<Found[]> {
    const { in: path = '.', include, exclude, ignored = false, max = DEFAULT_MAX, signal } = options;
    const [regex, flags] = typeof pattern === 'string' ? [pattern] : [pattern.source, pattern.flags];
    const query = { regex, flags, include, exclude, ignoreFiles: !ignored, maxMatches: max };
    const { files } = await this.engine.search.grep(path, query, { signal });
    return files.flatMap((file) =>
      file.lines.map(({ number, text }) => ({ path: file.path, line: number, text })),
    );
  }

  /** The files that match a glob, sorted by path. */
  async find(glob: string, options: Omit<SearchOptions, 'include'> = {}): Promise<string[]> {
    const { in: path = '.', exclude, ignored = false, max = DEFAULT_MAX, signal } = options;
    const query = { globs: [glob], exclude, ignoreFiles: !ignored, max };
    const { entries } = await this.engine.search.glob(path, query, { signal });
    return entries.filter(({ type }) => type === 'file').map((entry) => entry.path);
  }

  /** Runs a shell command line, in a sandbox if the system has one. The history records what it changes. */
  run(line: string, options: CommandCall = {}): Promise<RunResult> {
    return this.engine.commands.runShellLine(line, options);
  }

  /** The recorded changes, newest first. */
  history(filter: EntryFilter = {}): Promise<JournalEntry[]> {
    return this.engine.history.entries(filter);
  }

  /** What an entry of the history changed. */
  diff(entry: string): Promise<FileDiff[]> {
    return this.engine.history.diff(entry);
  }

  /** Undoes an entry, or says what is in the way; undefined when there is no such entry. */
  undo(entry: string, options: UndoOptions = {}): Promise<UndoOutcome | undefined> {
    return this.engine.history.undo(entry, options);
  }

  /** The tools of a dialect, for a model that runs in this program. */
  async tools(options: ToolsOptions = {}): Promise<ModelTools> {
    const { openModelTools } = await import('./tools.ts');
    const { tools, close } = await openModelTools(this.engine, this.#opened, options);
    this.#closers.push(close);
    return tools;
  }

  /** Accepts no further calls, waits for running ones, and closes everything. */
  async close(): Promise<void> {
    await this.engine.close();
    await Promise.all(this.#closers.splice(0).map((close) => close()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #absolute(path: string | undefined): string | undefined {
    return path === undefined ? undefined : resolve(this.engine.roots[0]!.path, path);
  }
}
