/** All details of one call: its facts, its paths, what it changed, and a button that undoes it. */
import { ApiError, entryDetails, fullEvent } from '../../connection/api.ts';
import { sizeText } from '../../data/brief.ts';
import { callLine } from '../../data/call-line.ts';
import type { EventRow } from '../../data/event-store.ts';
import { bytes, count, duration, exactTime, plural } from '../../data/format.ts';
import { outcomeText } from '../../data/outcomes.ts';
import type { EntryDetails } from '../../wire.ts';
import { copied } from '../elements/clipboard.ts';
import { button, type Child, el, part } from '../elements/dom.ts';
import { pathView } from '../elements/path-view.ts';
import { visibleLines, visiblePath } from '../elements/visible-text.ts';
import { diffView } from './diff-view.ts';
import { UndoDialog } from './undo-dialog.ts';

const MOST_ENTRIES = 20;
const STATES = { pending: 'in progress or interrupted', done: 'done', undone: 'undone' } as const;

export interface DetailsEvents {
  onClose(): void;
  /** The user has undone or redone something. */
  onUndone(): void;
}

export class Details {
  readonly #panel = part('details');
  readonly #dialog = new UndoDialog();
  readonly #onClose: () => void;
  readonly #onUndone: () => void;
  #row: EventRow | undefined;

  constructor({ onClose, onUndone }: DetailsEvents) {
    this.#onClose = onClose;
    this.#onUndone = onUndone;
    this.#panel.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.close();
    });
  }

  get isOpen(): boolean {
    return this.#row !== undefined;
  }

  open(row: EventRow, focus: boolean): void {
    if (row !== this.#row) {
      this.#row = row;
      this.#draw(row);
    }
    this.#panel.hidden = false;
    document.body.dataset.details = 'open';
    if (focus || this.#fillsScreen) this.#title?.focus();
  }

  get #title(): HTMLElement | null {
    return this.#panel.querySelector('h2');
  }

  get #fillsScreen(): boolean {
    return getComputedStyle(this.#panel).position === 'fixed';
  }

  close(): void {
    if (!this.#row) return;
    this.#row = undefined;
    this.#panel.hidden = true;
    this.#panel.replaceChildren();
    delete document.body.dataset.details;
    this.#onClose();
  }

  #draw(row: EventRow): void {
    const { event } = row;
    const contents = el('div', { class: 'contents' });
    const changes = el('div', { class: 'changes' });
    const command = el('div', { class: 'command', role: 'status' });
    this.#panel.replaceChildren(
      el(
        'div',
        { class: 'panel-head' },
        el('h2', { tabindex: -1 }, event.tool),
        el('span', { class: `badge ${row.kind}` }, outcomeText(event)),
        button('Close', () => this.close(), { class: 'quiet', 'aria-keyshortcuts': 'Escape' }),
      ),
      el(
        'div',
        { class: 'panel-body' },
        reasonOf(row),
        briefOf(row),
        ...copyButtons(row, command),
        command,
        changes,
        factsOf(row),
        pathsOf(row),
        contents,
      ),
    );
    this.#panel.scrollTop = 0;
    if (event.entries) void this.#drawChanges(row, changes);
    if (event.contents) void drawContents(event.id, contents);
  }

  async #drawChanges(row: EventRow, box: HTMLElement): Promise<void> {
    const entries = row.event.entries ?? [];
    box.replaceChildren(el('h3', {}, 'Changes'), el('p', { class: 'note' }, 'Loading…'));
    const parts: Child[] = [el('h3', {}, 'Changes')];
    for (const id of entries.slice(0, MOST_ENTRIES)) parts.push(await this.#entry(row, id));
    if (entries.length > MOST_ENTRIES)
      parts.push(el('p', { class: 'note' }, `and ${count(entries.length - MOST_ENTRIES)} more`));
    if (this.#row === row) box.replaceChildren(...(parts as Node[]));
  }

  async #entry(row: EventRow, id: string): Promise<HTMLElement> {
    const box = el('section', { class: 'entry', 'data-entry': id, 'aria-label': `Change ${id}` });
    await this.#fillEntry(row, id, box);
    return box;
  }

  async #fillEntry(row: EventRow, id: string, box: HTMLElement): Promise<void> {
    try {
      const details = await entryDetails(id);
      const hadFocus = box.contains(document.activeElement);
      box.replaceChildren(
        this.#entryHead(row, details, box),
        ...details.diffs.map((diff) => diffView(diff, row.event.roots)),
      );
      const { moreChanges } = details.entry;
      if (moreChanges) box.append(el('p', { class: 'note' }, `and ${plural(moreChanges, 'more change')}`));
      if (hadFocus) this.#focusIn(box);
    } catch (error) {
      const why =
        error instanceof ApiError && error.status === 404
          ? 'The journal no longer has this change.'
          : String(error);
      box.replaceChildren(el('p', { class: 'note' }, why));
    }
  }

  #entryHead(row: EventRow, details: EntryDetails, box: HTMLElement): HTMLElement {
    const { entry, plan, undoneBy, mayUndo } = details;
    const state = el('span', { class: `badge ${entry.state}` }, STATES[entry.state]);
    const head = el('div', { class: 'entry-head' }, state);
    if (entry.undoes !== undefined) head.append(el('span', { class: 'note' }, 'undid an earlier change'));
    if (entry.found) head.append(el('span', { class: 'note' }, 'found after a command'));
    if (!plan && undoneBy === undefined) return head;
    const verb = plan ? 'undo' : 'redo';
    const ask = () =>
      this.#dialog.open({
        ...{ verb, entry, row, id: undoneBy ?? entry.id },
        onUndone: () => {
          void this.#fillEntry(row, entry.id, box);
          this.#onUndone();
        },
        onClosed: () => undo.isConnected || this.#focusIn(box),
      });
    const title = mayUndo ? undefined : `This token may not ${verb} this change`;
    const undo = button(plan ? 'Undo…' : 'Redo…', ask, { class: 'undo', disabled: !mayUndo, title });
    head.append(undo);
    return head;
  }

  /** Moves the focus when the focused element is gone. */
  #focusIn(box: HTMLElement): void {
    const next = box.querySelector<HTMLElement>('.undo:enabled') ?? this.#title;
    next?.focus();
  }
}

/** Shows the call as a command line, and copies it if the browser allows that. */
function copyButtons({ event }: EventRow, box: HTMLElement): HTMLElement[] {
  if (!callLine(event)) return [];
  const copy = async () => {
    const full = event.contents ? await fullEvent(event.id).catch(() => undefined) : undefined;
    const { text, isWhole } = callLine(event, full?.arguments)!;
    const said = [
      (await copied(text)) ? 'Copied.' : 'Select and copy:',
      isWhole ? '' : 'The trace does not have all arguments: replace … and ••• with the real values.',
    ];
    box.replaceChildren(
      el('pre', { tabindex: 0 }, ...visibleLines(text)),
      el('p', { class: 'note' }, said.filter(Boolean).join(' ')),
    );
  };
  const title = 'Copies a command line that repeats this call: cofferdam call …';
  return [button('Copy as command', () => void copy(), { class: 'copy', title })];
}

function reasonOf({ event: { reason } }: EventRow): HTMLElement | undefined {
  return reason === undefined ? undefined : el('p', { class: 'reason' }, ...visibleLines(reason));
}

/** The arguments, as far as the trace has them; for a text that is not recorded, its length. */
function briefOf({ event: { brief } }: EventRow): HTMLElement | undefined {
  if (!brief) return undefined;
  const list = el('dl', { class: 'facts brief' });
  for (const [name, value] of Object.entries(brief)) {
    const isRecorded = typeof value !== 'object' || Array.isArray(value);
    const shown = isRecorded
      ? [value].flat().map((each) => el('code', {}, ...visibleLines(String(each))))
      : [el('span', { class: 'note' }, sizeText(value))];
    list.append(el('dt', {}, name), el('dd', {}, ...shown));
  }
  return list;
}

function factsOf({ event }: EventRow): HTMLElement {
  const directories = event.roots.map((root) => el('div', {}, ...visiblePath(root)));
  const facts: [string, string | Node[] | undefined][] = [
    ['When', exactTime(event.at)],
    ['Took', duration(event.ms)],
    ['Who', event.who],
    ['Session', event.session],
    ['Dialect', event.dialect],
    ['Received', bytes(event.bytesIn)],
    ['Answered', `${bytes(event.bytesOut)}, about ${plural(event.tokensOut, 'token')}`],
    ['Directories', directories],
    ['Confined by', event.confinement?.join(', ')],
    [
      'Not confined',
      event.confined === false
        ? 'the command could do everything that the user of the server can do'
        : undefined,
    ],
    ['Flags', event.flags?.join(', ')],
    ['Note', event.note],
    ['Server', event.server],
    ['Event', event.id],
  ];
  const list = el('dl', { class: 'facts' });
  for (const [name, value] of facts) {
    if (value === undefined || value.length === 0) continue;
    list.append(el('dt', {}, name), el('dd', {}, ...(typeof value === 'string' ? [value] : value)));
  }
  return list;
}

function pathsOf({ event }: EventRow): HTMLElement {
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
        pathView(roots, path),
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
      if (text !== undefined)
        box.append(el('h3', {}, title), el('pre', { tabindex: 0 }, ...visibleLines(text)));
    }
  } catch (error) {
    box.append(
      el('p', { class: 'note' }, `The arguments and the answer cannot be shown: ${(error as Error).message}`),
    );
  }
}
