/** Opens and fills the Tool Trace page in a real Chromium, with the real HTTP server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { fullGrant, parseTokens } from '../../src/server/web/tokens/tokens.ts';
import type { How, TraceEvent } from '../../src/trace/events/event.ts';
import { HttpFixture, TOKEN } from '../server/http-fixture.ts';
import { type StandIn, standIn } from '../server/page/stand-in.ts';
import { PATIENCE_MS, startBrowser } from './browser.ts';

export const AGENT = 'token-of-the-agent-alone';
export const grants = [
  fullGrant(TOKEN),
  ...parseTokens(`agent ${AGENT} read-write replay`, ['replay']).grants,
];

const DESKTOP = { width: 1280, height: 800 };

export class PageFixture {
  browser!: Browser;
  http!: HttpFixture;
  sources!: StandIn;
  context: BrowserContext | undefined;
  #shared: Page | undefined;
  /** Serves an empty page of the same site: a page that waits there for the next test keeps its process. */
  readonly #elsewhere = createServer((_request, response) => void response.end());
  page!: Page;
  /** The errors of the browser, and the hosts that it sent requests to. */
  complaints: string[] = [];
  asked = new Set<string>();

  async startBrowser(): Promise<void> {
    this.browser = await startBrowser();
    await new Promise<void>((resolve) => this.#elsewhere.listen(0, '127.0.0.1', resolve));
  }

  async closeBrowser(): Promise<void> {
    await this.browser?.close();
    this.#elsewhere.close();
  }

  async begin(): Promise<void> {
    this.sources = standIn();
    this.http = await HttpFixture.open({ page: this.sources, grants }, { 'src/a.ts': 'one\ntwo\nthree\n' });
  }

  async end(): Promise<void> {
    if (this.context && this.page === this.#shared) await this.#leaveShared(this.#shared);
    else await this.context?.close();
    this.context = undefined;
    await this.http.close();
  }

  get address(): string {
    return `http://127.0.0.1:${this.http.serving.port}/`;
  }

  get file(): string {
    return join(this.http.root, 'src/a.ts');
  }

  at(path: string, how: How = 'read'): Pick<TraceEvent, 'paths'> {
    return { paths: [{ path: join(this.http.root, path), how }] };
  }

  add(...events: Partial<TraceEvent>[]): void {
    const more = { roots: [this.http.root], ...this.at('src/a.ts') };
    this.sources.events.add(...events.map((event) => ({ ...more, ...event })));
  }

  /** Changes a file, and adds the call that did it to the page. */
  change(text: string, path = 'src/a.ts', id = 'e1'): void {
    const { root } = this.http;
    this.sources.history.change(join(root, path), text, { id, roots: [root] });
    this.add({ tool: 'edit_file', entries: [id], ...this.at(path, 'changed') });
  }

  async newPage(options: BrowserContextOptions = {}): Promise<Page> {
    this.page = await this.#pageFor(options);
    this.context = this.page.context();
    this.complaints = [];
    this.asked = new Set();
    this.page.on('pageerror', (error) => this.complaints.push(error.message));
    this.page.on('console', (said) => said.type() === 'error' && this.complaints.push(said.text()));
    this.page.on('dialog', (dialog) => this.complaints.push(dialog.message()));
    this.page.on('request', (request) => this.asked.add(new URL(request.url()).host));
    return this.page;
  }

  /** Starting the process of a page takes long, so all tests that need no special device share one page. */
  async #pageFor(options: BrowserContextOptions): Promise<Page> {
    const { viewport = DESKTOP, colorScheme = 'light', ...device } = options;
    if (Object.keys(device).length > 0) return this.#openPage({ viewport, ...options });
    this.#shared ??= await this.#openPage({ viewport });
    await this.#shared.setViewportSize(viewport ?? DESKTOP);
    await this.#shared.emulateMedia({ colorScheme });
    return this.#shared;
  }

  async #openPage(options: BrowserContextOptions): Promise<Page> {
    const context = await this.browser.newContext(options);
    context.setDefaultTimeout(PATIENCE_MS);
    return context.newPage();
  }

  /** Clears the storage: the page of another test may get the same port, and with it what is stored. */
  async #leaveShared(page: Page): Promise<void> {
    page.removeAllListeners();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate("location.protocol === 'http:' && localStorage.clear()");
    await page.goto(`http://127.0.0.1:${(this.#elsewhere.address() as AddressInfo).port}/`);
    await page.context().clearCookies();
  }

  async open(options: BrowserContextOptions = {}, address = this.address): Promise<Page> {
    const page = await this.newPage(options);
    await page.goto(`${address}#token=${TOKEN}`);
    await this.isLive();
    return page;
  }

  async isLive(): Promise<void> {
    await this.page.locator('#state', { hasText: 'Live' }).waitFor();
  }

  get rows(): Locator {
    const { page } = this;
    return page
      .getByRole('grid')
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') });
  }

  /** Waits until the counter has this text and the rows are drawn. */
  async shows(text: string): Promise<void> {
    await this.page.locator('#shown-count', { hasText: new RegExp(`^${text}$`) }).waitFor();
    await this.isDrawn();
  }

  /** Waits until the list is up to date: it draws its rows in the next frame, and measures them after that. */
  async isDrawn(): Promise<void> {
    await this.page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
  }

  async openChange(): Promise<void> {
    await this.isDrawn();
    await this.rows.filter({ hasText: 'edit_file' }).first().click();
    await this.page.locator('.entry .diff').waitFor();
    await this.isDrawn();
  }
}
