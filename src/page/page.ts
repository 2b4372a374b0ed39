/** The Tool Trace page: connects its views and updates them as events arrive. */
import { plain } from '../display/plain-text.ts';
import { endSession, undoneEntries } from './connection/api.ts';
import { type ConnectionState, ServerConnection } from './connection/connection.ts';
import { filterInAddress, toAddress } from './data/address.ts';
import { type EventFilter, type EventRow, EventStore } from './data/event-store.ts';
import { count } from './data/format.ts';
import { HeatTree } from './data/heat-tree.ts';
import { CallList } from './views/calls/list.ts';
import { Charts } from './views/charts/charts.ts';
import { Details } from './views/details/details.ts';
import { part, setText } from './views/elements/dom.ts';
import { Filters } from './views/filters.ts';
import { FirstSteps } from './views/first-steps.ts';
import { HeatView } from './views/heat-view.ts';
import { saveEvents } from './views/save-events.ts';
import { signIn, takeToken } from './views/sign-in.ts';
import { startTabs } from './views/tabs.ts';
import { startTheme } from './views/theme.ts';
import type { About, PageEvent } from './wire.ts';

/** Drawing the charts and the tree takes all events, so the page does it less often than drawing the list. */
const SLOW_DRAW_MS = 500;
/** Load a call only when the user stops at it: the arrow keys pass many calls. */
const SETTLE_MS = 150;
/** Wait this long before asking which entries are undone, so that several undos cause one request. */
const UNDONE_MS = 200;

class TracePage {
  readonly #store = new EventStore();
  readonly #tree = new HeatTree();
  readonly #charts = new Charts(part('charts'), (from, to) => this.#filters.pickTime(from, to));
  readonly #details = new Details({
    onClose: () => this.#list.focus(),
    onUndone: () => this.#askUndone(),
  });
  readonly #filters = new Filters(this.#store, (filter) => this.#setFilter(filter));
  readonly #treeView = new HeatView(part('tree'), this.#tree, (path) => this.#filters.pick(path));
  readonly #firstSteps = new FirstSteps();
  readonly #follow = part<HTMLButtonElement>('follow');
  readonly #list: CallList;
  #unseen = 0;
  #slowTimer: ReturnType<typeof setTimeout> | undefined;
  #undoneTimer: ReturnType<typeof setTimeout> | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#list = new CallList(part('calls'), this.#store, {
      onOpen: (row, focus) => this.#open(row, focus),
      onMove: (row) => this.#moved(row),
      onFollow: () => this.#drawFollow(),
      onSort: (sort) => this.#filters.sortBy(sort),
    });
    this.#follow.addEventListener('click', () => {
      const follows = !this.#list.following;
      if (follows && this.#store.isSorted) this.#filters.sortBy('');
      this.#list.following = follows;
      this.#drawFollow();
    });
    part('export').addEventListener('click', () => saveEvents(this.#store.shown));
    document.addEventListener('keydown', (event) => this.#onKey(event));
    this.#drawFollow();
  }

  async run(token: string | undefined): Promise<void> {
    let shown = token;
    let why = '';
    for (;;) {
      const about = await signIn(shown, why);
      this.#enter(about);
      const ended = await this.#stayConnected();
      shown = ended.token;
      why = ended.why;
    }
  }

  /** Returns when the session ends: it expired, the user signed out, or the URL got another token. */
  async #stayConnected(): Promise<{ token: string | undefined; why: string }> {
    let token: string | undefined;
    let why = 'Your session has ended. Enter a token to sign in again.';
    const leaving = new AbortController();
    const connection = new ServerConnection({
      onEvents: (events, live) => this.#take(events, live),
      onState: (state) => this.#showState(state),
    });
    const leave = () => {
      why = 'You have signed out.';
      void endSession().finally(() => connection.end());
    };
    part('leave').addEventListener('click', leave, { signal: leaving.signal });
    const look = () => {
      token = takeToken();
      if (token === undefined) this.#readAddress();
      else connection.end();
    };
    addEventListener('hashchange', look, { signal: leaving.signal });
    await connection.run();
    leaving.abort();
    this.#forget();
    return { token, why };
  }

  #enter(about: About): void {
    const { version, roots, who, mayUndo } = about;
    this.#firstSteps.show(about);
    part('sign-in').hidden = true;
    part('app').hidden = false;
    // The user may have followed a link while the page asked for a token.
    this.#readAddress();
    const where = roots.length === 0 ? 'All servers of this user' : roots.join(', ');
    setText(part('where'), where);
    part('where').title = plain(where);
    part('where').dataset.about = `${who}, ${mayUndo ? 'may undo' : 'read-only'}, version ${version}`;
  }

  /** The next token must not see what this one saw. */
  #forget(): void {
    this.#details.close();
    this.#store.clear();
    this.#tree.clear();
    this.#setFilter(this.#store.filter);
  }

  #take(events: PageEvent[], live: boolean): void {
    const before = this.#store.rows.length;
    const { shown, trimmed } = this.#store.add(events);
    if (!live) this.#store.sort();
    if (trimmed) this.#growTree();
    else this.#growTree(before);
    if (live && !this.#list.following) this.#unseen += shown;
    this.#list.grew(shown);
    this.#drawFollow();
    this.#filters.draw();
    this.#drawSlowly();
    if (events.some(({ entries, tool }) => entries && (!live || /^(?:un|re)do$/.test(tool))))
      this.#askUndone();
  }

  /** Adds the rows from this one on to the tree; 0 builds it again. The path filter does not affect the tree. */
  #growTree(from = 0): void {
    if (from === 0) this.#tree.clear();
    const { rows } = this.#store;
    for (let at = from; at < rows.length; at++) {
      if (this.#store.passesBesidesPath(rows[at]!)) this.#tree.add(rows[at]!.event);
    }
  }

  /** Only the journal knows what is undone: an undo may come from the page, a tool or the command line. */
  #askUndone(): void {
    clearTimeout(this.#undoneTimer);
    this.#undoneTimer = setTimeout(async () => {
      this.#store.undone = new Set(await undoneEntries().catch(() => this.#store.undone));
      this.#list.refresh();
    }, UNDONE_MS);
  }

  /** A link may contain filters, so that another user sees the same calls. */
  #readAddress(): void {
    const filter = filterInAddress(location.hash);
    // The link is something else, such as the one that skips to the calls.
    if (!filter) return;
    this.#filters.set(filter);
    this.#setFilter(filter);
  }

  #setFilter(filter: EventFilter): void {
    const { filter: before } = this.#store;
    this.#store.setFilter(filter);
    const forTree = { path: '', sort: '' } as const;
    if (toAddress({ ...before, ...forTree }) !== toAddress({ ...filter, ...forTree })) this.#growTree();
    history.replaceState(null, '', `${location.pathname}${toAddress(filter)}`);
    this.#filters.draw();
    this.#list.replaced();
    this.#drawFollow();
    this.#drawSlowly(0);
  }

  #drawSlowly(ms = SLOW_DRAW_MS): void {
    setText(part('empty'), this.#emptyText());
    this.#drawFirstSteps();
    if (ms === 0) clearTimeout(this.#slowTimer);
    else if (this.#slowTimer !== undefined) return;
    this.#slowTimer = setTimeout(() => {
      this.#slowTimer = undefined;
      this.#charts.draw(this.#store.shown);
      if (this.#store.isSorted) {
        this.#store.sort();
        this.#list.refresh();
      }
      this.#treeView.draw();
    }, ms);
  }

  /** Stays hidden while the calls are still loading. */
  #drawFirstSteps(): void {
    this.#firstSteps.isShown = this.#store.rows.length === 0 && part('state').dataset.state === 'live';
  }

  #emptyText(): string {
    if (this.#store.shown.length > 0) return '';
    return this.#store.rows.length === 0
      ? 'No calls yet. They appear here as they happen.'
      : 'No calls match the filters.';
  }

  #open(row: EventRow, focus: boolean): void {
    this.#details.open(row, focus);
  }

  #moved(row: EventRow): void {
    if (!this.#details.isOpen) return;
    clearTimeout(this.#settleTimer);
    this.#settleTimer = setTimeout(() => this.#details.isOpen && this.#details.open(row, false), SETTLE_MS);
  }

  #drawFollow(): void {
    const { following } = this.#list;
    if (following) this.#unseen = 0;
    this.#follow.setAttribute('aria-pressed', String(following));
    setText(this.#follow, this.#unseen > 0 ? `Follow (${count(this.#unseen)} new)` : 'Follow');
  }

  #showState(state: ConnectionState): void {
    const element = part('state');
    element.dataset.state = state.is;
    setText(element, stateText(state));
    this.#drawFirstSteps();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = (event.target as Element).matches('input, select, textarea');
    if (event.key === 'Escape' && !document.querySelector('dialog[open]')) this.#details.close();
    if (event.key !== '/' || isTyping || document.querySelector('dialog[open]')) return;
    event.preventDefault();
    this.#filters.focusPath();
  }
}

function stateText(state: ConnectionState): string {
  switch (state.is) {
    case 'loading':
      return 'Loading…';
    case 'live':
      return 'Live';
    case 'paused':
      return 'Paused';
    case 'away':
      return `No connection, retry in ${state.seconds} s`;
    case 'signed-out':
      return 'Signed out';
  }
}

const token = takeToken();
startTheme();
startTabs();
void new TracePage().run(token);
