/** Operations that read files and directories; `files.ts` adds those that change them. */
import type { Access } from '../access/access.ts';
import type { How, PathAccess } from '../caller.ts';
import { decode } from '../charset/codec.ts';
import { encodingOf } from '../charset/encoding-of.ts';
import type { Charset } from '../charset/names.ts';
import type { Stat } from '../confine/directory/dir.ts';
import type { Place } from '../confine/place.ts';
import { Yielder } from '../event-loop.ts';
import { EngineFailure, type Failure } from '../failures.ts';
import { readTextLines, readTextTail } from '../files/lines/read-lines.ts';
import { type PartRequest, readPart, type TextPart } from '../files/lines/read-part.ts';
import { type ListedEntry, listEntries } from '../files/list.ts';
import { type ListAllOptions, type ListingBelow, listBelow } from '../files/list-recursive.ts';
import { type FileContent, readContent, readDecoded, readText } from '../files/read/read.ts';
import { type FileStart, readStart, type StartOptions } from '../files/read/read-start.ts';
import { buildTree, type TreeNode } from '../files/tree.ts';
import { limits } from '../limits.ts';
import type { LineRange } from '../text/edit/line-range.ts';

/** The options of every call: how to cancel it. */
export interface Call {
  signal?: AbortSignal | undefined;
}

export class ReadingApi {
  protected readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }

  read(path: string, options: { limit?: number } & Call = {}): Promise<FileContent> {
    return this.readAt(
      path,
      'read',
      (place) => readContent(place, options),
      ({ bytes, stat: { links } }) => ({ bytes: bytes.length, ...(links > 1 && { links }) }),
    );
  }

  /** The same, with the text of a file in any encoding, without a byte-order mark. */
  readDecoded(path: string, options: { limit?: number } & Call = {}): Promise<FileContent> {
    return this.readAt(path, 'read', (place) => readDecoded(place, this.declaredFor(place), options));
  }

  /** Decodes bytes that a file once held, in the encoding that they have; undefined when they are not text. */
  decode(path: string, bytes: Buffer): Promise<string | undefined> {
    return this.readAt(path, 'looked-at', async (place) => {
      const judged = encodingOf(bytes, this.declaredFor(place));
      return 'notText' in judged ? undefined : decode(bytes, judged);
    });
  }

  /** The whole text of a file, byte-order mark included; fails when it is not valid UTF-8. */
  readText(path: string, options: { limit?: number } & Call = {}): Promise<{ text: string; bytes: number }> {
    return this.readAt(
      path,
      'read',
      (place) => readText(place, options),
      ({ bytes }) => ({ bytes }),
    );
  }

  /** The first bytes of a file of any size, and their text if they are text. */
  readStart(path: string, options: StartOptions): Promise<FileStart> {
    return this.readAt(path, 'read', (place) => readStart(place, options));
  }

  /** Some lines of a text file of any size, without line ends. An end beyond the file means its last line. */
  readLines(path: string, range: LineRange, options: Call = {}): Promise<string[]> {
    return this.readAt(path, 'read', (place) => readTextLines(place, range, options.signal));
  }

  /** The last lines of a text file of any size, without line ends. It reads from the end of the file. */
  readTail(path: string, lines: number, options: Call = {}): Promise<string[]> {
    return this.readAt(path, 'read', (place) => readTextTail(place, lines, options.signal));
  }

  /** A part of a text file of any size and in any encoding, cut to a number of bytes. */
  readPart(path: string, request: PartRequest): Promise<TextPart> {
    return this.readAt(path, 'read', (place) => readPart(place, request, this.declaredFor(place)));
  }

  /** The whole texts of several files, which together keep to the limit for one file; fails when one cannot be read. */
  readTexts(paths: readonly string[], options: Call = {}): Promise<string[]> {
    return this.access.read(paths, {}, async (open) => {
      const texts: string[] = [];
      let left: number = limits.wholeFileBytes;
      const yielder = new Yielder(options.signal);
      for (const path of paths) {
        await yielder.pause();
        const limit = left;
        const { text, bytes } = await open(path, 'read', (place) => readText(place, { ...options, limit }));
        texts.push(text);
        left -= bytes;
      }
      return texts;
    });
  }

  list(path: string, options: Call = {}): Promise<ListedEntry[]> {
    return this.readAt(path, 'listed', (place) => listEntries(this.access.wall, place, options.signal));
  }

  tree(path: string, options: { depth?: number } & Call = {}): Promise<TreeNode> {
    const { depth = Number.POSITIVE_INFINITY, signal } = options;
    return this.readAt(path, 'listed', (place) => buildTree(this.access.wall, place, depth, signal));
  }

  /** All entries of a directory and below it, with types and sizes, in the order of the paths. */
  listAll(path: string, options: ListAllOptions & Call = {}): Promise<ListingBelow> {
    return this.readAt(path, 'listed', (place) => listBelow(place, options));
  }

  info(path: string): Promise<Stat & { path: string }> {
    return this.readAt(path, 'looked-at', async (place) => ({
      ...place.mustExist('entry'),
      path: place.path,
    }));
  }

  /** The entry at a path. If that is a link, it is not followed. */
  entryAt(path: string): Promise<Stat> {
    return this.access.read([path], { onlyPrepares: true }, async () =>
      this.access.wall.at(path, { follow: false }, (place) => {
        const stat = place.mustExist('entry');
        this.access.caller.touched({ path: place.path, how: 'looked-at' });
        return stat;
      }),
    );
  }

  /** The entry at a path; undefined when the caller can see nothing there, which is not reported as a failure. */
  peek(path: string): Promise<Stat | undefined> {
    return this.access.read([path], { onlyPrepares: true }, async () => this.peekAt(path));
  }

  /** Fails when the path leads outside or, for 'write', to where nothing may be changed. The entry may be missing. */
  check(path: string, needs: 'read' | 'write'): Promise<{ path: string }> {
    return this.access.read([path], { onlyPrepares: true }, (open) =>
      open(path, 'looked-at', async (place) => {
        if (needs === 'write') place.requireWritable();
        return { path: place.path };
      }),
    );
  }

  /** The same as `check` for each path. Returns each file once, by the first of its paths, also if it is missing. */
  async checkAll(paths: Iterable<string>, needs: 'read' | 'write', options: Call = {}): Promise<string[]> {
    const yielder = new Yielder(options.signal);
    const files = new Map<string, string>();
    for (const path of paths) {
      await yielder.pause();
      const real = await this.check(path, needs).catch((error: unknown) => {
        if (!(error instanceof EngineFailure) || isForbidden(error.facts)) throw error;
        return { path };
      });
      if (!files.has(real.path)) files.set(real.path, path);
    }
    return [...files.values()];
  }

  /** The encoding that is declared for a file, looked up only when the function is called. */
  protected declaredFor(place: Place): () => Charset | undefined {
    return () => this.access.encodings.of(this.access.wall, place);
  }

  /** The same as `peek`, for a call that the gate has let in already. */
  protected peekAt(path: string): Stat | undefined {
    try {
      return this.access.wall.at(path, {}, (place) => {
        const found = place.lstat();
        if (found) this.access.caller.touched({ path: place.path, how: 'looked-at' });
        return found;
      });
    } catch (error) {
      if (error instanceof EngineFailure && error.facts.kind !== 'io') return undefined;
      throw error;
    }
  }

  protected readAt<T>(
    path: string,
    how: How,
    use: (place: Place) => T | Promise<T>,
    facts?: (result: T) => Partial<PathAccess>,
  ): Promise<T> {
    return this.access.read([path], {}, (open) => open(path, how, use, facts));
  }
}

function isForbidden({ kind }: Failure): boolean {
  return kind === 'outside' || kind === 'read-only' || kind === 'denied' || kind === 'withheld';
}
