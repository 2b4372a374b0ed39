/**
 * Turns files and trees that a state directory set aside whole into contents: no other kind of state can set anything
 * aside.
 *
 * What is gone from the state directory keeps its name, so that history and undo can still say whether the user had it
 * forgotten or the journal no longer keeps it.
 */
import { createHash } from 'node:crypto';
import type { Contents } from '../../../state/contents.ts';
import { contentNamesOfRemoved } from '../entries/contents-needed.ts';
import type { Change, FileImage, Removed } from '../entries/entry.ts';
import type { ForgottenNames } from '../entries/entry-index.ts';
import type { Line } from '../entries/line.ts';
import { captureRemoved } from '../record/capture.ts';
import { Store } from '../store.ts';

export class AsideConverter {
  readonly #trees: Contents['trees'];
  readonly #store: Store;
  readonly #forgotten: ForgottenNames;
  readonly #made = new Map<string, Removed>();
  /** The contents that were stored in the other state. */
  readonly hashes = new Set<string>();
  bytes = 0;
  /** What could not be read, with the path that it once had. */
  readonly lost: { path: string; why: string }[] = [];

  constructor(from: Contents, to: Contents, forgotten: ForgottenNames) {
    this.#trees = from.trees;
    this.#store = new Store(to, () => forgotten, { trees: false });
    this.#forgotten = forgotten;
  }

  /** Must get the lines in order: a content that was forgotten after a tree with it was kept stays in that tree. */
  async convert(line: Line): Promise<Line> {
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

  /** Undefined when the state directory no longer has it. */
  async #aside(path: string, name: string): Promise<Removed | undefined> {
    const known = this.#made.get(name);
    const stat = known ? undefined : this.#trees?.statOf(name);
    if (!stat) return known;
    const made = await this.#captured(path, name, stat);
    for (const each of contentNamesOfRemoved(made)) this.hashes.add(each);
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

/** Adds what the user had removed from a tree, under names that count as forgotten. */
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

/** Makes a name like those of things set aside; the same path always gets the same name. */
function nameInside(name: string, path: string): string {
  return createHash('sha256').update(`${name}/${path}`).digest('hex').slice(0, 20);
}
