/** The Tool Trace page: puts its views together and updates them as events arrive. */

import { plain } from '../display/plain-text.ts';
import { endSession } from './data/api.ts';
import { Connection, type State } from './data/connection.ts';
import { EventStore, type Filter, type Row } from './data/event-store.ts';
import { count } from './data/format.ts';
import { HeatTree } from './data/heat-tree.ts';
import { Charts } from './views/charts.ts';
import { Details } from './views/details.ts';
import { part, setText } from './views/dom.ts';
import { Filters } from './views/filters.ts';
import { HeatView } from './views/heat-view.ts';
import { CallList } from './views/list.ts';
import { signIn, takeToken } from './views/sign-in.ts';
import { startTabs } from './views/tabs.ts';
import { startTheme } from './views/theme.ts';
import type { About, PageEvent } from './wire.ts';

/** Charts and tree go through all events, so the page draws them less often than the list. */
const SLOW_DRAW_MS = 500;
/** Load a call only when the user rests on it: the arrow keys pass many calls on the way. */
const SETTLE_MS = 150;

class Page {
  readonly #store = new EventStore();
  readonly #tree = new HeatTree();
  readonly #charts = new Charts(part('charts'));
  readonly #details = new Details(() => this.#list.focus());
  readonly #filters = new Filters(this.#store, (filter) => this.#setFilter(filter));
  readonly #treeView = new HeatView(part('tree'), this.#tree, (path) => this.#filters.pick(path));
  readonly #follow = part<HTMLButtonElement>('follow');
  readonly #list: CallList;
  #unseen = 0;
  #slowTimer: ReturnType<typeof setTimeout> | undefined;
  #settleTimer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#list = new CallList(part('calls'), this.#store, {
      onOpen: (row, focus) => this.#open(row, focus),
      onMove: (row) => this.#moved(row),
      onFollow: () => this.#drawFollow(),
    });
    this.#follow.addEventListener('click', () => {
      this.#list.following = !this.#list.following;
      this.#drawFollow();
    });
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

  /** Returns when the session ends: by itself, by the user, or by another token in the URL. */
  async #stayConnected(): Promise<{ token: string | undefined; why: string }> {
    let token: string | undefined;
    let why = 'The session has ended. A token opens a new one.';
    const leaving = new AbortController();
    const connection = new Connection({
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
      if (token !== undefined) connection.end();
    };
    addEventListener('hashchange', look, { signal: leaving.signal });
    await connection.run();
    leaving.abort();
    this.#forget();
    return { token, why };
  }

  #enter({ version, roots, who, mayUndo }: About): void {
    part('sign-in').hidden = true;
    part('app').hidden = false;
    const where = roots.length === 0 ? 'All servers of this user' : roots.join(', ');
    setText(part('where'), where);
    part('where').title = plain(where);
    part('where').dataset.about = `${who}, ${mayUndo ? 'may undo' : 'only looks'}, version ${version}`;
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
    if (trimmed) {
      this.#tree.clear();
      for (const { event } of this.#store.rows) this.#tree.add(event);
    } else
      for (let at = before; at < this.#store.rows.length; at++) this.#tree.add(this.#store.rows[at]!.event);
    if (live && !this.#list.following) this.#unseen += shown;
    this.#list.grew(shown);
    this.#drawFollow();
    this.#filters.draw();
    this.#drawSlowly();
  }

  #setFilter(filter: Filter): void {
    this.#store.setFilter(filter);
    this.#filters.draw();
    this.#list.replaced();
    this.#drawSlowly(0);
  }

  #drawSlowly(ms = SLOW_DRAW_MS): void {
    if (ms === 0) clearTimeout(this.#slowTimer);
    else if (this.#slowTimer !== undefined) return;
    this.#slowTimer = setTimeout(() => {
      this.#slowTimer = undefined;
      this.#charts.draw(this.#store.shown);
      this.#treeView.draw();
    }, ms);
    setText(part('empty'), this.#emptyText());
  }

  #emptyText(): string {
    if (this.#store.shown.length > 0) return '';
    return this.#store.rows.length === 0
      ? 'No calls yet. They appear here as they happen.'
      : 'No call fits the filters.';
  }

  #open(row: Row, focus: boolean): void {
    this.#details.open(row, focus);
  }

  #moved(row: Row): void {
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

  #showState(state: State): void {
    const element = part('state');
    element.dataset.state = state.is;
    setText(element, stateText(state));
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

function stateText(state: State): string {
  switch (state.is) {
    case 'loading':
      return 'Loading…';
    case 'live':
      return 'Live';
    case 'paused':
      return 'Paused';
    case 'away':
      return `No connection, again in ${state.seconds} s`;
    case 'signed-out':
      return 'Signed out';
  }
}

const token = takeToken();
startTheme();
startTabs();
void new Page().run(token);
