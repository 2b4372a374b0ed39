/** Sources for the page in tests: events in memory, and a small history that really restores files. */
import { readFileSync, writeFileSync } from 'node:fs';
import { unifiedDiff } from '../../../src/engine/index.ts';
import type { PageDiff, PageEntry, PageObstacle } from '../../../src/page/wire.ts';
import type { PageEvents, PageHistory, PageSources } from '../../../src/server/page/sources.ts';
import type { TraceEvent } from '../../../src/trace/events/event.ts';

export class MemoryEvents implements PageEvents {
  readonly all: TraceEvent[] = [];
  followers = 0;
  readonly #listeners = new Set<(events: TraceEvent[]) => void>();
  #next = 1;

  add(...events: Partial<TraceEvent>[]): TraceEvent[] {
    const made = events.map((event) => this.#make(event));
    this.all.push(...made);
    for (const tell of this.#listeners) tell(made);
    return made;
  }

  async recent(limit: number, filter: (event: TraceEvent) => boolean = () => true): Promise<TraceEvent[]> {
    return this.all.filter(filter).slice(-limit);
  }

  follow(onEvents: (events: TraceEvent[]) => void): () => void {
    this.#listeners.add(onEvents);
    this.followers = this.#listeners.size;
    return () => {
      this.#listeners.delete(onEvents);
      this.followers = this.#listeners.size;
    };
  }

  #make(event: Partial<TraceEvent>): TraceEvent {
    const number = this.#next++;
    return {
      id: `s1-${number}`,
      at: Date.now(),
      server: 's1',
      roots: ['/srv/app'],
      session: 'session-1',
      dialect: 'replay',
      tool: 'read_file',
      paths: [{ path: '/srv/app/src/a.ts', how: 'read', bytes: 10 }],
      outcome: 'ok',
      ms: 2,
      bytesIn: 40,
      bytesOut: 400,
      tokensOut: 100,
      ...event,
    };
  }
}

interface Kept {
  entry: PageEntry;
  file: string;
  before: string;
  after: string;
}

/** A history in which each entry has one changed file. */
export class SmallHistory implements PageHistory {
  readonly #kept = new Map<string, Kept>();
  readonly undone: { id: string; force: boolean; who: string | undefined }[] = [];

  /** Changes a file and remembers its old content. */
  change(
    file: string,
    after: string,
    entry: Partial<PageEntry> & { id: string; roots: string[] },
  ): PageEntry {
    const before = readFileSync(file, 'utf8');
    writeFileSync(file, after);
    const full: PageEntry = {
      ...{ at: Date.now(), origin: {}, state: 'done' as const, changes: [{ kind: 'changed', path: file }] },
      ...entry,
    };
    this.#kept.set(full.id, { entry: full, file, before, after });
    return full;
  }

  async entry(id: string): Promise<PageEntry | undefined> {
    return this.#kept.get(id)?.entry;
  }

  async entries(): Promise<PageEntry[]> {
    return [...this.#kept.values()].map(({ entry }) => entry).reverse();
  }

  async diff(id: string): Promise<PageDiff[]> {
    const { file, before, after } = this.#kept.get(id)!;
    return [diffOf(file, before, after)];
  }

  async plan(id: string) {
    const { file, before } = this.#kept.get(id)!;
    const now = readFileSync(file, 'utf8');
    return {
      steps: [{ path: file, does: 'restore' }],
      obstacles: this.#obstacles(id),
      diffs: [diffOf(file, now, before)],
    };
  }

  async undo(id: string, options: { force?: boolean; origin?: { who?: string } } = {}) {
    const kept = this.#kept.get(id)!;
    const { force = false, origin } = options;
    this.undone.push({ id, force, who: origin?.who });
    const obstacles = this.#obstacles(id);
    if (obstacles.length > 0 && !force) return { done: false as const, obstacles };
    if (obstacles.length > 0) writeFileSync(`${kept.file}.kept`, readFileSync(kept.file));
    writeFileSync(kept.file, kept.before);
    kept.entry = { ...kept.entry, state: 'undone' };
    return { done: true as const, entry: kept.entry };
  }

  #obstacles(id: string): PageObstacle[] {
    const { file, after } = this.#kept.get(id)!;
    const now = readFileSync(file, 'utf8');
    if (now === after) return [];
    const { text } = diffOf(file, after, now);
    return [{ path: file, why: 'It was changed since.', diff: text, forceable: true }];
  }
}

export interface StandIn extends PageSources {
  events: MemoryEvents;
  history: SmallHistory;
}

export function standIn(): StandIn {
  return { events: new MemoryEvents(), history: new SmallHistory() };
}

function diffOf(path: string, before: string, after: string): PageDiff {
  return { path, kind: 'changed', text: unifiedDiff(before, after, { oldName: path, newName: path }) };
}
