/** One call in full: its facts, its paths, what it changed, and the way to undo that. */
import type { EntryDetails } from '../server/page/wire.ts';
import { ApiError, entryDetails, fullEvent } from './api.ts';
import { diffView } from './diff-view.ts';
import { button, type Child, el, part } from './dom.ts';
import { bytes, count, duration, exactTime, plural } from './format.ts';
import { shortPath } from './paths.ts';
import type { Row } from './store.ts';
import { UndoDialog } from './undo-dialog.ts';

const MOST_ENTRIES = 20;
const STATES = { pending: 'under way or cut off', done: 'done', undone: 'undone' } as const;

export class Details {
  readonly #panel = part('details');
  readonly #dialog = new UndoDialog();
  readonly #onClose: () => void;
  #row: Row | undefined;

  constructor(onClose: () => void) {
    this.#onClose = onClose;
    this.#panel.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  get isOpen(): boolean {
    return this.#row !== undefined;
  }

  open(row: Row, focus: boolean): void {
    if (row !== this.#row) {
      this.#row = row;
      this.#draw(row);
    }
    this.#panel.hidden = false;
    document.body.dataset.details = 'open';
    if (focus) this.#panel.querySelector<HTMLElement>('h2')?.focus();
  }

  close(): void {
    if (!this.#row) return;
    this.#row = undefined;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    delete document.body.dataset.details;
    this.#onClose();
  }

  #draw(row: Row): void {
    const { event } = row;
    const contents = el('div', { class: 'contents' });
    const changes = el('div', { class: 'changes' });
    this.#panel.replaceChildren(
      el(
        'div',
        { class: 'panel-head' },
        el('h2', { tabindex: -1 }, event.tool),
        el(
          'span',
          { class: `badge ${event.outcome}` },
          event.outcome === 'ok' ? '✓ ok' : `✗ ${event.error ?? 'failed'}`,
        ),
        button('Close', () => this.close(), { class: 'quiet', 'aria-keyshortcuts': 'Escape' }),
      ),
      el('div', { class: 'panel-body' }, factsOf(row), pathsOf(row), changes, contents),
    );
    this.#panel.scrollTop = 0;
    if (event.entries) void this.#drawChanges(row, changes);
    if (event.contents) void drawContents(event.id, contents);
  }

  async #drawChanges(row: Row, box: HTMLElement): Promise<void> {
    const entries = row.event.entries ?? [];
    box.replaceChildren(el('h3', {}, 'Changes'), el('p', { class: 'note' }, 'Loading…'));
    const parts: Child[] = [el('h3', {}, 'Changes')];
    for (const id of entries.slice(0, MOST_ENTRIES)) parts.push(await this.#entry(row, id));
    if (entries.length > MOST_ENTRIES)
      parts.push(el('p', { class: 'note' }, `and ${count(entries.length - MOST_ENTRIES)} more`));
    if (this.#row === row) box.replaceChildren(...(parts as Node[]));
  }

  async #entry(row: Row, id: string): Promise<HTMLElement> {
    const box = el('section', { class: 'entry', 'data-entry': id, 'aria-label': `Change ${id}` });
    await this.#fillEntry(row, id, box);
    return box;
  }

  async #fillEntry(row: Row, id: string, box: HTMLElement): Promise<void> {
    try {
      const details = await entryDetails(id);
      const named = (path: string) => shortPath(row.event.roots, path);
      box.replaceChildren(
        this.#entryHead(row, details, box),
        ...details.diffs.map((diff) => diffView(diff, named)),
      );
      const { moreChanges } = details.entry;
      if (moreChanges) box.append(el('p', { class: 'note' }, `and ${plural(moreChanges, 'more change')}`));
    } catch (error) {
      const why =
        error instanceof ApiError && error.status === 404 ? 'The journal no longer has it.' : String(error);
      box.replaceChildren(el('p', { class: 'note' }, why));
    }
  }

  #entryHead(row: Row, { entry, plan, mayUndo }: EntryDetails, box: HTMLElement): HTMLElement {
    const state = el('span', { class: `badge ${entry.state}` }, STATES[entry.state]);
    const head = el('div', { class: 'entry-head' }, state);
    if (entry.undoes !== undefined) head.append(el('span', { class: 'note' }, 'took back an earlier change'));
    if (entry.found) head.append(el('span', { class: 'note' }, 'found after a command'));
    if (!plan) return head;
    const undo = button(
      'Undo…',
      () => this.#dialog.open(entry, row, () => void this.#fillEntry(row, entry.id, box)),
      { class: 'undo', disabled: !mayUndo, title: mayUndo ? undefined : 'This token may not undo it' },
    );
    head.append(undo);
    return head;
  }
}

function factsOf({ event }: Row): HTMLElement {
  const facts: [string, string | undefined][] = [
    ['When', exactTime(event.at)],
    ['Took', duration(event.ms)],
    ['Who', event.who],
    ['Session', event.session],
    ['Dialect', event.dialect],
    ['Received', bytes(event.bytesIn)],
    ['Answered', `${bytes(event.bytesOut)}, about ${plural(event.tokensOut, 'token')}`],
    ['Directories', event.roots.join('\n')],
    ['Confined by', event.layers?.join(', ')],
    ['Note', event.note],
    ['Server', event.server],
    ['Event', event.id],
  ];
  const list = el('dl', { class: 'facts' });
  for (const [name, value] of facts) {
    if (value === undefined || value === '') continue;
    list.append(el('dt', {}, name), el('dd', {}, value));
  }
  return list;
}

function pathsOf({ event }: Row): HTMLElement {
  const { paths, morePaths = 0, roots } = event;
  const box = el('div', { class: 'paths' });
  if (paths.length === 0) return box;
  const list = el('ul');
  for (const { path, how, bytes: size, links } of paths) {
    const more = [
      size === undefined ? '' : bytes(size),
      links !== undefined && links > 1 ? `${links} names` : '',
    ];
    list.append(
      el(
        'li',
        {},
        el('span', { class: `how ${how}` }, how.replace('-', ' ')),
        el('code', { title: path }, shortPath(roots, path)),
        el('span', { class: 'note' }, more.filter(Boolean).join(', ')),
      ),
    );
  }
  box.append(el('h3', {}, 'Paths'), list);
  if (morePaths > 0) box.append(el('p', { class: 'note' }, `and ${plural(morePaths, 'more path')}`));
  return box;
}

async function drawContents(id: string, box: HTMLElement): Promise<void> {
  try {
    const { arguments: said, answer } = await fullEvent(id);
    for (const [title, text] of [
      ['Arguments', said],
      ['Answer', answer],
    ] as const) {
      if (text !== undefined) box.append(el('h3', {}, title), el('pre', { tabindex: 0 }, text));
    }
  } catch (error) {
    box.append(el('p', { class: 'note' }, `What was said cannot be shown: ${(error as Error).message}`));
  }
}
