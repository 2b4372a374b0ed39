/** The Tool Trace page in a real Chromium, over the real HTTP server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fullGrant, parseTokens } from '../../src/server/http/tokens.ts';
import type { TraceEvent } from '../../src/trace/event.ts';
import { Stage, TOKEN } from '../server/http-stage.ts';
import { type StandIn, standIn } from '../server/page/stand-in.ts';
import { chromiumPath, startBrowser } from './browser.ts';

const AGENT = 'token-of-the-agent-alone';
const grants = [fullGrant(TOKEN), ...parseTokens(`agent ${AGENT} read-write replay`, ['replay']).grants];
const where = chromiumPath ?? 'not tested: no Chromium was found; install chromium or set CHROMIUM';

describe.skipIf(chromiumPath === undefined)(`the page in Chromium (${where})`, () => {
  let browser: Browser;
  let stage: Stage;
  let sources: StandIn;
  let context: BrowserContext;
  let page: Page;
  /** What the browser complained about, and whom it asked. */
  let complaints: string[];
  let asked: Set<string>;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    sources = standIn();
    stage = await Stage.open({ page: sources, grants }, { 'src/a.ts': 'one\ntwo\nthree\n' });
  });
  afterEach(async () => {
    await context?.close();
    await stage.close();
  });

  const file = () => join(stage.root, 'src/a.ts');
  const at = (path: string, how: TraceEvent['paths'][number]['how'] = 'read') => ({
    paths: [{ path: join(stage.root, path), how }],
  });
  const add = (...events: Partial<TraceEvent>[]) =>
    sources.events.add(...events.map((event) => ({ roots: [stage.root], ...at('src/a.ts'), ...event })));

  async function open(options: BrowserContextOptions = {}, port = stage.serving.port): Promise<void> {
    context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    page = await context.newPage();
    complaints = [];
    asked = new Set();
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    page.on('request', (request) => asked.add(new URL(request.url()).host));
    await page.goto(`http://127.0.0.1:${port}/#token=${TOKEN}`);
    await isLive();
  }

  const isLive = () => page.locator('#state', { hasText: 'Live' }).waitFor();
  const rows = () =>
    page
      .getByRole('grid')
      .getByRole('row')
      .filter({ has: page.getByRole('gridcell') });
  const shows = (text: string) =>
    page.locator('#shown-count', { hasText: new RegExp(`^${text}$`) }).waitFor();
  const change = (text: string, id = 'e1') => {
    sources.history.change(file(), text, { id, roots: [stage.root] });
    add({ tool: 'edit_file', entries: [id], ...at('src/a.ts', 'changed') });
  };
  const openChange = async () => {
    await rows().filter({ hasText: 'edit_file' }).first().click();
    await page.locator('.entry .diff').waitFor();
  };

  describe('coming in', () => {
    it('takes the token out of the address and stays in by its cookie', async () => {
      add({});
      await open();
      expect(page.url()).toBe(`http://127.0.0.1:${stage.serving.port}/`);
      const [cookie] = await context.cookies(`${page.url()}page/about`);
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/page' });
      expect(cookie!.value).not.toContain(TOKEN);
      expect(
        await page.evaluate('document.cookie + JSON.stringify({...localStorage, ...sessionStorage})'),
      ).toBe('{}');
      await page.reload();
      await isLive();
      await shows('1 call');
      await page.goBack().catch(() => null);
      expect(page.url()).not.toContain(TOKEN);
      expect([...asked]).toEqual([`127.0.0.1:${stage.serving.port}`]);
      expect(complaints).toEqual([]);
    });

    it('says that a token is wrong and takes another', async () => {
      add({});
      context = await browser.newContext();
      page = await context.newPage();
      await page.goto(`http://127.0.0.1:${stage.serving.port}/#token=wrong`);
      await page.getByText('That token is not valid.').waitFor();
      expect(page.url()).not.toContain('wrong');
      expect(await page.locator('#app').isVisible()).toBe(false);
      await page.getByRole('textbox', { name: 'Token' }).fill('still-wrong');
      await page.keyboard.press('Enter');
      await page.getByText('Asking…').waitFor({ state: 'hidden' });
      await page.getByText('That token is not valid.').waitFor();
      await page.getByRole('textbox', { name: 'Token' }).fill(`http://127.0.0.1/#token=${TOKEN}`);
      await page.getByRole('button', { name: 'Open' }).click();
      await isLive();
      await shows('1 call');
    });

    it('asks for a token when there is none, when one leaves, and when the token is withdrawn', async () => {
      context = await browser.newContext();
      page = await context.newPage();
      await page.goto(`http://127.0.0.1:${stage.serving.port}/`);
      await page.getByText('A token is needed to see what happened.').waitFor();
      await page.getByRole('textbox', { name: 'Token' }).fill(AGENT);
      await page.keyboard.press('Enter');
      await isLive();
      add({ who: 'agent' }, { who: 'somebody' });
      await shows('1 call');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You have signed out.').waitFor();
      expect(await context.cookies()).toEqual([]);
      await page.evaluate(`location.hash = '#token=${AGENT}'`);
      await isLive();
      stage.serving.replaceTokens(grants.slice(0, 1));
      await page.getByText('The session has ended. A token opens a new one.').waitFor();
      expect(await page.locator('.rows .row:not([hidden])').count()).toBe(0);
    });
  });

  describe('the list', () => {
    it('shows calls as they happen, the newest on top', async () => {
      add({ tool: 'read_file' });
      await open();
      await shows('1 call');
      add({
        tool: 'grep_files',
        ms: 1234,
        tokensOut: 77,
        outcome: 'failed',
        error: 'not-found',
        who: 'anna',
      });
      await shows('2 calls');
      const first = page.getByRole('row', { name: /grep_files/ });
      expect(await first.getAttribute('aria-rowindex')).toBe('2');
      expect((await first.getByRole('gridcell').allTextContents()).slice(1)).toEqual([
        'anna · sessio',
        'grep_files',
        'src/a.ts',
        '✗ not-found',
        '1.2 s',
        '77',
      ]);
    });

    it('loses and doubles nothing when the line is cut', async () => {
      const line = await Line.start(stage.serving.port);
      add({ tool: 'before' });
      await open({}, line.port);
      await shows('1 call');
      line.cut();
      add({ tool: 'meanwhile' }, { tool: 'meanwhile' });
      await page.locator('#state', { hasText: 'No connection' }).waitFor();
      await isLive();
      add({ tool: 'after' });
      await shows('4 calls');
      expect(await rows().locator('.tool').allTextContents()).toEqual([
        'after',
        'meanwhile',
        'meanwhile',
        'before',
      ]);
      line.stop();
    });

    it('is filtered by tool, path, outcome and session', async () => {
      add(
        { tool: 'read_file', session: 'aaaaaa' },
        { tool: 'edit_file', session: 'aaaaaa', ...at('docs/Guide.md', 'changed') },
        { tool: 'edit_file', session: 'bbbbbb', outcome: 'failed', error: 'not-found' },
      );
      await open();
      await page.getByLabel('Tool').selectOption('edit_file');
      await shows('2 of 3');
      await page.getByLabel('Outcome').selectOption('failed');
      await shows('1 of 3');
      await page.getByRole('button', { name: 'Clear' }).click();
      await shows('3 calls');
      await page.getByLabel('Path').fill('guide');
      await shows('1 of 3');
      expect(await rows().locator('.path').textContent()).toBe('docs/Guide.md');
      await page.getByLabel('Path').fill('no such thing');
      await page.getByText('No call fits the filters.').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByLabel('Session').selectOption({ label: 'replay · bbbbbb' });
      await shows('1 of 3');
      add({ session: 'aaaaaa' }, { session: 'bbbbbb' });
      await shows('2 of 5');
      expect(await rows().count()).toBe(2);
    });

    it('stays where one reads, and follows again when told to', async () => {
      add(...Array.from({ length: 300 }, (_, index) => ({ tool: `tool-${index}` })));
      await open();
      await shows('300 calls');
      await page.evaluate("document.getElementById('calls').scrollTop = 3000");
      const follow = page.getByRole('button', { name: 'Follow' });
      await page.locator('#follow[aria-pressed=false]').waitFor();
      const top = () =>
        page.evaluate("document.elementFromPoint(600, 400).closest('.row').children[2].textContent");
      const seen = await top();
      add(...Array.from({ length: 5 }, () => ({ tool: 'new' })));
      await page.getByRole('button', { name: 'Follow (5 new)' }).waitFor();
      await shows('305 calls');
      expect(await top()).toBe(seen);
      await follow.click();
      await rows().filter({ hasText: 'new' }).first().waitFor();
      expect(await page.evaluate("document.getElementById('calls').scrollTop")).toBe(0);
    });

    it('takes a hundred thousand events, with few rows on the page', async () => {
      const now = Date.now();
      for (let index = 0; index < 100_000; index++) {
        const path = `src/part-${index % 977}/file-${index}.ts`;
        add({ ...at(path), at: now - (100_000 - index) * 10, tool: `tool-${index % 7}`, ms: index % 50 });
      }
      await open();
      await shows('100,000 calls');
      expect(await page.locator('.rows .row').count()).toBeLessThan(100);
      const took = await page.evaluate(`new Promise((resolve) => {
        const field = document.getElementById('filter-path');
        const started = performance.now();
        field.value = 'part-5/file';
        field.dispatchEvent(new Event('input'));
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - started)));
      })`);
      await shows('103 of 100,000');
      expect(took).toBeLessThan(1500);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      await page.getByRole('row', { name: /file-0\.ts/ }).waitFor();
      expect(await page.locator('.rows .row').count()).toBeLessThan(100);
    });

    it('shows names as they are, whatever they look like', async () => {
      const name = '<img src=x onerror="document.title=1"><script>alert(1)</script>&amp;.txt';
      add({ ...at(name), tool: '<b>tool</b>', who: '<i>me</i>', note: '<u>note</u>' });
      await open();
      await shows('1 call');
      expect(await rows().locator('.path .name').textContent()).toContain(name.slice(0, 30));
      await rows().first().click();
      await page.locator('.facts', { hasText: '<u>note</u>' }).waitFor();
      await page.locator('.tree', { hasText: '<img src=x onerror=' }).waitFor();
      expect(await page.locator('#app main :is(img, script, b, i, u)').count()).toBe(0);
      expect([await page.title(), complaints]).toEqual(['Tool Trace · Cofferdam', []]);
    });

    it('is walked through with the keyboard', async () => {
      add({ tool: 'first' }, { tool: 'second' }, { tool: 'third', note: 'what is to be known' });
      await open();
      await shows('3 calls');
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.id')).toBe('filter-path');
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      await page.locator('.row[aria-selected=true]', { hasText: 'third' }).waitFor();
      await page.keyboard.press('Enter');
      const details = page.getByRole('complementary', { name: 'Details of the call' });
      await details.getByText('what is to be known').waitFor();
      expect(await page.evaluate('document.activeElement.textContent')).toBe('third');
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'hidden' });
      await page.keyboard.press('End');
      const last = page.locator('.row[aria-selected=true]', { hasText: 'first' });
      await last.waitFor();
      expect(await page.getByRole('grid').getAttribute('aria-activedescendant')).toBe(
        await last.getAttribute('id'),
      );
      expect(await page.getByRole('grid').getAttribute('aria-rowcount')).toBe('4');
    });
  });

  describe('a call that changed something', () => {
    it('shows its diff in colour', async () => {
      change('one\nTWO\nthree\n');
      await open();
      await openChange();
      expect(await page.locator('.line.added').textContent()).toBe('2+TWO');
      expect(await page.locator('.line.removed').textContent()).toBe('2−two');
      const colour = (kind: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('.line.${kind}')).backgroundColor`);
      expect(new Set([await colour('added'), await colour('removed'), await colour('same')]).size).toBe(3);
      expect(await page.locator('.entry .badge').textContent()).toBe('done');
    });

    it('is undone only after it was asked, and tells what would happen', async () => {
      change('one\nTWO\nthree\n');
      await open();
      await openChange();
      await page.getByRole('button', { name: 'Undo…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Undo edit_file?' });
      await dialog.getByText('put back src/a.ts').waitFor();
      expect(await dialog.locator('.line.added').textContent()).toContain('two');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      expect(readFileSync(file(), 'utf8')).toBe('one\nTWO\nthree\n');
      await page.getByRole('button', { name: 'Undo…' }).click();
      await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('1 change of edit_file taken back.').waitFor();
      expect(readFileSync(file(), 'utf8')).toBe('one\ntwo\nthree\n');
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.locator('.entry .badge', { hasText: 'undone' }).waitFor();
      expect(await page.getByRole('button', { name: 'Undo…' }).count()).toBe(0);
      expect(sources.history.undone).toEqual([{ id: 'e1', force: false, who: 'owner' }]);
    });

    it('names what is in the way, and keeps both when told to go on', async () => {
      change('one\nTWO\nthree\n');
      await open();
      await openChange();
      writeFileSync(file(), 'one\nTWO\nthree\nmine\n');
      await page.getByRole('button', { name: 'Undo…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('It was changed since.').waitFor();
      expect(await dialog.locator('.obstacles .line.added').textContent()).toContain('mine');
      expect(await dialog.getByRole('button', { name: 'Undo', exact: true }).count()).toBe(0);
      await dialog.getByRole('button', { name: 'Undo anyway, keeping both' }).click();
      await page.getByText('taken back').waitFor();
      expect(readFileSync(file(), 'utf8')).toBe('one\ntwo\nthree\n');
      expect(readFileSync(`${file()}.kept`, 'utf8')).toContain('mine');
    });

    it('tells when something came in the way after it was asked', async () => {
      change('one\nTWO\nthree\n');
      await open();
      await openChange();
      await page.getByRole('button', { name: 'Undo…' }).click();
      const undo = page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true });
      await undo.waitFor();
      writeFileSync(file(), 'mine\n');
      await undo.click();
      await page.getByText('Nothing was undone: something came in the way meanwhile.').waitFor();
      expect(readFileSync(file(), 'utf8')).toBe('mine\n');
      await page.getByRole('button', { name: 'Undo anyway, keeping both' }).waitFor();
    });
  });

  describe('the other views', () => {
    it('heat the tree, which the keyboard opens and filters by', async () => {
      add({}, {}, at('src/b.ts', 'changed'), at('README.md'));
      await open();
      const tree = page.getByRole('tree', { name: 'Workspace' });
      const src = tree.getByRole('treeitem', { name: 'src, 2 reads, 1 write' });
      await src.waitFor();
      expect(await src.getAttribute('aria-expanded')).toBe('false');
      await tree.getByRole('treeitem').first().focus();
      for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
      expect(await page.evaluate('document.activeElement.ariaLabel')).toBe('b.ts, 0 reads, 1 write');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      expect(await page.getByLabel('Path').inputValue()).toBe(join(stage.root, 'src/'));
      await shows('3 of 4');
    });

    it('chart calls, errors, durations and tokens, and say so in words', async () => {
      const now = Date.now();
      add({ at: now - 5000, ms: 10 }, { at: now, ms: 30, outcome: 'failed', error: 'x', tokensOut: 900 });
      await open();
      const chart = (name: string) => page.getByRole('img', { name: new RegExp(`^${name}`) });
      await page.locator('.chart-calls .sum', { hasText: '2' }).waitFor();
      for (const name of ['Calls', 'Errors', 'Duration', 'Tokens']) {
        expect(await chart(name).locator('path').first().getAttribute('d')).toMatch(/^M/);
        expect(await chart(name).locator('desc').textContent()).toContain('in steps of 1.0 s');
      }
      expect(await page.locator('.chart .sum').allTextContents()).toEqual([
        '2',
        '1 · 50.0 %',
        '10 ms · 30 ms',
        '1,000',
      ]);
      await chart('Tokens').focus();
      await page.keyboard.press('End');
      await page.locator('.chart-tokens .foot', { hasText: 'about 900 tokens' }).waitFor();
    });

    it('come in light and dark', async () => {
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      await open({ colorScheme: 'dark' });
      const dark = await ground();
      await page.emulateMedia({ colorScheme: 'light' });
      const light = await ground();
      expect(light).not.toBe(dark);
      await page.getByRole('button', { name: /^Colours: auto/ }).click();
      await page.getByRole('button', { name: /^Colours: light/ }).click();
      expect(await ground()).toBe(dark);
      await page.reload();
      expect(await ground()).toBe(dark);
    });

    it('fit a phone, where a call fills the screen', async () => {
      change('one\nTWO and a line that is much too long for such a small screen, by far\nthree\n');
      add({
        ...at('a/very/long/way/to/a/file/that/nobody/would/type/on/a/phone/with-a-long-name.generated.ts'),
      });
      await open({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
      const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
      await shows('2 calls');
      expect(await overflow()).toBe(0);
      await openChange();
      expect(await page.locator('#details').boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 });
      expect(await overflow()).toBe(0);
      await page.getByRole('button', { name: 'Undo…' }).click();
      await page.getByRole('dialog').getByText('put back').waitFor();
      expect(await overflow()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Close' }).click();
      for (const tab of ['Tree', 'Charts', 'Calls']) {
        await page.getByRole('button', { name: tab, exact: true }).click();
        expect(await overflow()).toBe(0);
      }
      expect(complaints).toEqual([]);
    });
  });
});

/** Stands between the browser and the server, and can cut the line. */
class Line {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  port = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.once('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server).pipe(client);
    });
  }

  static async start(target: number): Promise<Line> {
    const line = new Line(target);
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve));
    line.port = (line.#server.address() as { port: number }).port;
    return line;
  }

  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.cut();
  }
}
