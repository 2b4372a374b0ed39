/**
 * Makes contents of what a state directory set aside whole: no other state has it.
 *
 * What is gone from there keeps its name, so that history and undo still say that it was forgotten, or is no longer
 * kept.
 */
import { createHash } from 'node:crypto';
import type { Contents } from '../../../state/contents.ts';
import { namesOfRemoved } from '../entries/contents-needed.ts';
import type { Change, FileImage, Removed } from '../entries/entry.ts';
import type { ForgottenNames } from '../entries/entry-index.ts';
import type { Line } from '../entries/line.ts';
import { captureRemoved } from '../record/capture.ts';
import { Store } from '../store.ts';

export class WithoutAside {
  readonly #trees: Contents['trees'];
  readonly #store: Store;
  readonly #forgotten: ForgottenNames;
  readonly #made = new Map<string, Removed>();
  /** The contents that were made. */
  readonly hashes = new Set<string>();
  bytes = 0;
  /** What could not be read, by the path that it had. */
  readonly lost: { path: string; why: string }[] = [];

  constructor(from: Contents, to: Contents, forgotten: ForgottenNames) {
    this.#trees = from.trees;
    this.#store = new Store(to, () => forgotten, { trees: false });
    this.#forgotten = forgotten;
  }

  /** Lines come in their order: a content that was forgotten after a tree with it was kept stays in that tree. */
  async line(line: Line): Promise<Line> {
    if (!this.#trees) return line;
    if (line.forgot) return this.#forgetting(line);
    if (!line.did) return line;
    const did: Change[] = [];
    for (const change of line.did) did.push(await this.#change(change));
    return { ...line, did };
  }

  async #change(change: Change): Promise<Change> {
    const { path } = change;
    if (change.kind === 'changed') return { ...change, before: await this.#image(path, change.before) };
    if (change.kind === 'removed') return { ...change, before: await this.#removed(path, change.before) };
    if (change.kind !== 'moved' || !change.replaced) return change;
    return { ...change, replaced: await this.#removed(change.to, change.replaced) };
  }

  async #image(path: string, image: FileImage): Promise<FileImage> {
    if (image.kept.in !== 'aside') return image;
    const made = await this.#aside(path, image.kept.name);
    if (made?.type === 'file') return { ...made.file, mode: image.mode };
    return made?.type === 'lost' ? { ...image, kept: { in: 'nowhere', why: made.why } } : image;
  }

  async #removed(path: string, removed: Removed): Promise<Removed> {
    if (removed.type === 'aside') return (await this.#aside(path, removed.name)) ?? removed;
    if (removed.type === 'file') return { ...removed, file: await this.#image(path, removed.file) };
    if (removed.type !== 'tree') return removed;
    const entries: typeof removed.entries = [];
    for (const entry of removed.entries) {
      entries.push({ ...entry, removed: await this.#removed(`${path}/${entry.path}`, entry.removed) });
    }
    return { ...removed, entries };
  }

  /** Undefined when it is not there any more. */
  async #aside(path: string, name: string): Promise<Removed | undefined> {
    const known = this.#made.get(name);
    const stat = known ? undefined : this.#trees?.statOf(name);
    if (!stat) return known;
    const made = await this.#captured(path, name, stat);
    for (const each of namesOfRemoved(made)) this.hashes.add(each);
    this.bytes += sizeOf(made);
    const whole = withForgotten(name, made, this.#forgotten.inside.get(name) ?? []);
    this.#made.set(name, whole);
    return whole;
  }

  async #captured(path: string, name: string, stat: Parameters<typeof captureRemoved>[2]): Promise<Removed> {
    try {
      const made = await captureRemoved(this.#store, this.#trees!.placeOf(name), stat);
      const inner = made.type === 'tree' ? made.entries : [{ path: '', removed: made }];
      for (const { path: below, removed } of inner) {
        if (removed.type === 'lost')
          this.lost.push({ path: below === '' ? path : `${path}/${below}`, why: removed.why });
      }
      return made;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined || code === 'ENOSPC') throw error;
      const why = `it could not be read (${message})`;
      this.lost.push({ path, why });
      return { type: 'lost', why };
    }
  }

  #forgetting(line: Line): Line {
    const { forgot = [], inside = [] } = line;
    const isMade = ([name]: readonly [string, string]) => this.#made.has(name);
    return {
      ...line,
      forgot: [
        ...forgot.filter((name) => !this.hashes.has(name)),
        ...inside.filter(isMade).map(([name, path]) => nameInside(name, path)),
      ],
      inside: inside.filter((each) => !isMade(each)),
    };
  }
}

function sizeOf(removed: Removed): number {
  if (removed.type === 'tree') return removed.entries.reduce((sum, entry) => sum + sizeOf(entry.removed), 0);
  return removed.type === 'file' ? removed.file.size : 0;
}

/** What the user had removed from a tree is in it under a name that is forgotten. */
function withForgotten(name: string, made: Removed, paths: readonly string[]): Removed {
  if (paths.length === 0 || (made.type !== 'tree' && made.type !== 'directory')) return made;
  const gone = paths.map((path) => ({
    path,
    removed: {
      type: 'file' as const,
      file: { size: 0, mode: 0o600, kept: { in: 'aside' as const, name: nameInside(name, path) } },
    },
  }));
  const { mode } = made;
  return { type: 'tree', mode, entries: [...(made.type === 'tree' ? made.entries : []), ...gone] };
}

/** Looks like the name of something set aside, and is always the same. */
function nameInside(name: string, path: string): string {
  return createHash('sha256').update(`${name}/${path}`).digest('hex').slice(0, 20);
}
