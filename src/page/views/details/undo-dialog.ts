/** The dialog before an undo or a redo: shows what it would do, the obstacles, and the outcome. */
import { entryDetails, undo } from '../../connection/api.ts';
import type { EventRow } from '../../data/event-store.ts';
import { plural } from '../../data/format.ts';
import { shortPath } from '../../data/paths.ts';
import type { PageEntry, PageObstacle, PagePlan } from '../../wire.ts';
import { button, el, part, setText } from '../elements/dom.ts';
import { pathView } from '../elements/path-view.ts';
import { diffView, plainDiff } from './diff-view.ts';

interface UndoQuestion {
  verb: keyof typeof WORDS;
  entry: PageEntry;
  /** The entry to undo: the entry itself, or for a redo the one that undid it. */
  id: string;
  row: EventRow;
  onUndone(): void;
  onClosed(): void;
}

const WORDS = {
  undo: { title: 'Undo', past: 'undone', going: 'Undoing…' },
  redo: { title: 'Redo', past: 'redone', going: 'Redoing…' },
} as const;

export class UndoDialog {
  readonly #dialog = part<HTMLDialogElement>('undo-dialog');
  readonly #body = el('div', { class: 'dialog-body' });
  readonly #foot = el('div', { class: 'dialog-foot' });
  readonly #title = el('h2', { id: 'undo-title' });
  #asked: UndoQuestion | undefined;

  constructor() {
    this.#dialog.append(this.#title, this.#body, this.#foot);
    this.#dialog.addEventListener('close', () => this.#asked?.onClosed());
  }

  open(asked: UndoQuestion): void {
    this.#asked = asked;
    setText(this.#title, `${WORDS[asked.verb].title} ${asked.row.event.tool}?`);
    this.#say('Checking what would happen…');
    this.#dialog.showModal();
    void this.#ask(asked);
  }

  /** Asks for a new plan: the files may have changed since the user opened the call. */
  async #ask(asked: UndoQuestion): Promise<void> {
    try {
      const { plan } = await entryDetails(asked.id);
      if (plan) this.#showPlan(asked, plan);
      else this.#say(`There is nothing left to ${asked.verb}.`);
    } catch (error) {
      this.#say(`The server cannot say what an undo would do: ${(error as Error).message}`);
    }
  }

  #showPlan(asked: UndoQuestion, { steps, moreSteps = 0, obstacles, diffs }: PagePlan): void {
    const { roots } = asked.row.event;
    const list = el('ol', { class: 'steps' });
    for (const { path, does } of steps) list.append(el('li', {}, `${does} `, pathView(roots, path)));
    this.#body.replaceChildren(el('p', {}, 'This would happen:'), list);
    if (moreSteps > 0) this.#body.append(el('p', { class: 'note' }, `and ${plural(moreSteps, 'more step')}`));
    if (obstacles.length > 0) this.#body.append(obstaclesView(obstacles, roots));
    if (diffs.length > 0) {
      this.#body.append(el('h3', {}, 'What would change'), ...diffs.map((diff) => diffView(diff, roots)));
    }
    this.#offer(asked, obstacles);
  }

  #offer(asked: UndoQuestion, obstacles: readonly PageObstacle[]): void {
    const cancel = button('Cancel', () => this.#dialog.close());
    this.#foot.replaceChildren(cancel);
    const force = obstacles.length > 0;
    if (obstacles.every(({ forceable }) => forceable)) {
      const { title } = WORDS[asked.verb];
      const label = force ? `${title} anyway, keeping both` : title;
      this.#foot.append(button(label, () => void this.#undo(asked, force), { class: 'danger' }));
    } else
      this.#body.append(el('p', { class: 'warning' }, `This call cannot be ${WORDS[asked.verb].past} now.`));
    cancel.focus();
  }

  async #undo(asked: UndoQuestion, force: boolean): Promise<void> {
    const { past, going } = WORDS[asked.verb];
    this.#say(going, false);
    try {
      const outcome = await undo(asked.id, force);
      if (outcome.done) {
        setText(this.#title, `${past[0]!.toUpperCase()}${past.slice(1)}`);
        this.#say(`${plural(asked.entry.changes.length, 'change')} of ${asked.row.event.tool} ${past}.`);
      } else {
        this.#body.replaceChildren(
          el('p', {}, `Nothing was ${past}: something changed in the meantime.`),
          obstaclesView(outcome.obstacles, asked.row.event.roots),
        );
        this.#offer(asked, outcome.obstacles);
      }
    } catch (error) {
      this.#say(`The call was not ${past}: ${(error as Error).message}`);
    }
    asked.onUndone();
  }

  #say(text: string, mayClose = true): void {
    this.#body.replaceChildren(el('p', { role: 'status' }, text));
    this.#foot.replaceChildren();
    if (!mayClose) return;
    const close = button('Close', () => this.#dialog.close());
    this.#foot.append(close);
    if (this.#dialog.open) close.focus();
  }
}

function obstaclesView(obstacles: readonly PageObstacle[], roots: readonly string[]): HTMLElement {
  const box = el('div', { class: 'obstacles', role: 'alert' }, el('h3', {}, 'In the way'));
  for (const { path, why, diff } of obstacles) {
    box.append(el('p', {}, pathView(roots, path), `: ${why}`));
    if (diff) box.append(plainDiff(diff, `What has changed since then in ${shortPath(roots, path)}`));
  }
  return box;
}
