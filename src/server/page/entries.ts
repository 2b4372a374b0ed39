/** Journal entries for the page: shows what an entry changed and what undoing it would do, and undoes it. */
import { DiffBudget, EngineFailure, failureSentence, MOST_LISTED } from '../../engine/index.ts';
import type {
  EntryDetails,
  PageEntry,
  PageObstacle,
  PagePlan,
  PageUndoOutcome,
  UndoneEntries,
} from '../../page/wire.ts';
import type { Refusal } from '../web/reply.ts';
import type { Grant } from '../web/tokens/tokens.ts';
import type { PageHistory } from './sources.ts';
import type { Visibility } from './visibility.ts';

/** The ids that the journal makes, and a little more. A path is not an id. */
const ENTRY_ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
const MOST_UNDONE = 10_000;
const NOT_THERE: Refusal = { status: 404, message: 'There is no such entry' };

export class PageEntries {
  readonly #history: PageHistory;
  readonly #visibility: Visibility;

  constructor(history: PageHistory, visibility: Visibility) {
    this.#history = history;
    this.#visibility = visibility;
  }

  async details(grant: Grant, id: string): Promise<EntryDetails | Refusal> {
    const entry = await this.#find(grant, id);
    if (!entry) return NOT_THERE;
    const room = new DiffBudget();
    const diffs = room.fit(await this.#history.diff(id));
    const plan = entry.state === 'undone' ? undefined : await this.#plan(id, room);
    const undoing = entry.state === 'undone' ? await this.#undoingOf(grant, id) : undefined;
    const mayUndo = this.#visibility.mayUndo(grant, undoing ?? entry);
    return {
      ...{ entry: forPage(entry), diffs, mayUndo },
      ...(plan && { plan }),
      ...(undoing && { undoneBy: undoing.id }),
    };
  }

  async undone(grant: Grant): Promise<UndoneEntries> {
    const entries = await this.#history.entries();
    const undone = entries.filter(
      (entry) => entry.state === 'undone' && this.#visibility.maySee(grant, entry),
    );
    return { undone: undone.slice(0, MOST_UNDONE).map(({ id }) => id) };
  }

  async #undoingOf(grant: Grant, id: string): Promise<PageEntry | undefined> {
    const entries = await this.#history.entries();
    return entries.find(
      (each) => each.undoes === id && each.state === 'done' && this.#visibility.maySee(grant, each),
    );
  }

  async undo(grant: Grant, id: string, force: boolean): Promise<PageUndoOutcome | Refusal> {
    const entry = await this.#find(grant, id);
    if (!entry) return NOT_THERE;
    if (!this.#visibility.mayUndo(grant, entry))
      return { status: 403, message: 'This token may not undo this entry' };
    if (entry.state === 'undone') return { status: 409, message: 'This has been undone already' };
    try {
      const outcome = await this.#history.undo(id, { force, origin: { who: grant.name, tool: 'undo' } });
      if (outcome.done) return { done: true, entry: forPage(outcome.entry) };
      return { done: false, obstacles: fitObstacles(new DiffBudget(), outcome.obstacles) };
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return { status: 409, message: `It could not be undone: ${failureSentence(error.facts)}` };
    }
  }

  /** Undefined for an entry that the token may not see, as if it did not exist. */
  async #find(grant: Grant, id: string): Promise<PageEntry | undefined> {
    if (!ENTRY_ID.test(id)) return undefined;
    const entry = await this.#history.entry(id);
    return entry && this.#visibility.maySee(grant, entry) ? entry : undefined;
  }

  async #plan(id: string, room: DiffBudget): Promise<PagePlan | undefined> {
    try {
      const { steps, obstacles, diffs } = await this.#history.plan(id);
      return {
        steps: steps.slice(0, MOST_LISTED).map(({ path, does }) => ({ path, does })),
        ...(steps.length > MOST_LISTED && { moreSteps: steps.length - MOST_LISTED }),
        obstacles: fitObstacles(room, obstacles),
        diffs: room.fit(diffs),
      };
    } catch (error) {
      if (error instanceof EngineFailure) return undefined;
      throw error;
    }
  }
}

function fitObstacles(room: DiffBudget, obstacles: readonly PageObstacle[]): PageObstacle[] {
  return obstacles.slice(0, MOST_LISTED).map(({ path, why, diff, forceable }) => ({
    ...{ path, why, forceable },
    ...(diff !== undefined && { diff: room.truncate(diff) }),
  }));
}

/** The entry without hashes, modes and the places where contents are kept. */
function forPage({ id, at, roots, origin, changes, state, undoes, found }: PageEntry): PageEntry {
  return {
    ...{ id, at, roots, origin, state },
    changes: changes
      .slice(0, MOST_LISTED)
      .map(({ kind, path, to }) => ({ kind, path, ...(to !== undefined && { to }) })),
    ...(changes.length > MOST_LISTED && { moreChanges: changes.length - MOST_LISTED }),
    ...(undoes !== undefined && { undoes }),
    ...(found && { found }),
  };
}
