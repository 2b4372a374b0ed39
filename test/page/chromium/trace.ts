/** The Tool Trace page in a real Chromium, with the real HTTP server. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TOKEN } from '../../server/http-fixture.ts';
import { soak } from '../../soak.ts';
import { AGENT, grants, type PageFixture } from '../page-fixture.ts';

export function testTrace(on: PageFixture): void {
  describe('signing in', () => {
    it('removes the token from the address, and a cookie keeps the user signed in', async () => {
      on.add({});
      const page = await on.open();
      expect(page.url()).toBe(on.address);
      const [cookie] = await on.context!.cookies(`${page.url()}page/about`);
      expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/page' });
      expect(cookie!.value).not.toContain(TOKEN);
      expect(
        await page.evaluate('document.cookie + JSON.stringify({...localStorage, ...sessionStorage})'),
      ).toBe('{}');
      await page.reload();
      await on.isLive();
      await on.shows('1 call');
      await page.goBack().catch(() => null);
      expect(page.url()).not.toContain(TOKEN);
      expect([...on.asked]).toEqual([`127.0.0.1:${on.http.serving.port}`]);
      expect(on.complaints).toEqual([]);
    });

    it('says that a token is wrong, and accepts another one', async () => {
      on.add({});
      const page = await on.newPage();
      await page.goto(`${on.address}#token=wrong`);
      await page.getByText('That token is not valid.').waitFor();
      expect(page.url()).not.toContain('wrong');
      await page.locator('#app').waitFor({ state: 'hidden' });
      await page.getByRole('textbox', { name: 'Token' }).fill('still-wrong');
      await page.keyboard.press('Enter');
      await page.getByText('Signing in…').waitFor({ state: 'hidden' });
      await page.getByText('That token is not valid.').waitFor();
      await page.getByRole('textbox', { name: 'Token' }).fill(`http://127.0.0.1/#token=${TOKEN}`);
      await page.getByRole('button', { name: 'Open' }).click();
      await on.isLive();
      await on.shows('1 call');
    });

    it('asks for a token when there is none, after signing out, and when the token is revoked', async () => {
      const page = await on.newPage();
      await page.goto(on.address);
      await page.getByText('Enter a token to see the calls.').waitFor();
      await page.getByRole('textbox', { name: 'Token' }).fill(AGENT);
      await page.keyboard.press('Enter');
      await on.isLive();
      on.add({ who: 'agent' }, { who: 'somebody' });
      await on.shows('1 call');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You have signed out.').waitFor();
      await expect.poll(() => on.context!.cookies()).toEqual([]);
      await page.evaluate(`location.hash = '#token=${AGENT}'`);
      await on.isLive();
      on.http.serving.replaceTokens(grants.slice(0, 1));
      await page.getByText('Your session has ended. Enter a token to sign in again.').waitFor();
      await expect.poll(() => page.locator('.rows .row:not([hidden])').count()).toBe(0);
    });
  });

  describe('the list', () => {
    it('shows calls as they happen, newest on top', async () => {
      on.add({ tool: 'read_file' });
      const page = await on.open();
      await on.shows('1 call');
      on.add({
        tool: 'grep_files',
        ms: 1234,
        tokensOut: 77,
        outcome: 'failed',
        error: 'not-found',
        reason: 'src/gone <b>.ts does not exist',
        brief: { path: 'src', regex: 'TODO|x', limit: 5, content: { characters: 1200 } },
        who: 'anna',
      });
      await on.shows('2 calls');
      const first = page.getByRole('row', { name: /grep_files/ });
      expect(await first.getAttribute('aria-rowindex')).toBe('2');
      expect((await first.getByRole('gridcell').allTextContents()).slice(1)).toEqual([
        'anna · sessio',
        'replay',
        'grep_files',
        'src/a.tsTODO|x',
        '✗ not-found',
        '1.2 s',
        '77',
      ]);
      on.add({
        tool: 'run_command',
        brief: { command: 'npm', args: ['run', 'a b'] },
        ...on.at('.', 'ran-in'),
      });
      await on.shows('3 calls');
      expect(await on.rows.first().locator('.path').textContent()).toBe("npm run 'a b'");
      await first.click();
      expect(await page.locator('.reason').textContent()).toBe('src/gone <b>.ts does not exist');
      const brief = page.locator('.brief');
      expect(await brief.locator('dt').allTextContents()).toEqual(['path', 'regex', 'limit', 'content']);
      expect(await brief.locator('dd').allTextContents()).toEqual(['src', 'TODO|x', '5', '1,200 characters']);
      for (const column of await page.getByRole('columnheader').all())
        expect(await column.isVisible()).toBe(true);
      await page.getByRole('button', { name: 'Copy as command' }).click();
      await page.locator('.command', { hasText: 'replace … and •••' }).waitFor();
      const args = '{"path":"src","regex":"TODO|x","limit":5,"content":"…"}';
      expect(await page.locator('.command pre').textContent()).toBe(
        `cofferdam call grep_files '${args}' --dialect replay ${on.http.root}`,
      );
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export' }).click();
      const saved = readFileSync(await (await saving).path(), 'utf8')
        .trimEnd()
        .split('\n');
      expect(saved.map((line) => JSON.parse(line).tool)).toEqual(['read_file', 'grep_files', 'run_command']);
    });

    it('loses and repeats no call when the connection is cut', async () => {
      const proxy = await CuttableProxy.start(on.http.serving.port);
      on.add({ tool: 'before' });
      const page = await on.open({}, `http://127.0.0.1:${proxy.port}/`);
      await on.shows('1 call');
      proxy.cut();
      on.add({ tool: 'meanwhile' }, { tool: 'meanwhile' });
      await page.locator('#state', { hasText: 'No connection' }).waitFor();
      proxy.mend();
      await on.isLive();
      on.add({ tool: 'after' });
      await on.shows('4 calls');
      expect(await on.rows.locator('.tool').allTextContents()).toEqual([
        'after',
        'meanwhile',
        'meanwhile',
        'before',
      ]);
      proxy.stop();
    });

    it('is filtered by tool, path, outcome, dialect and session, and a link opens the same view', async () => {
      on.add(
        { tool: 'read_file', session: 'aaaaaa' },
        { tool: 'edit_file', session: 'aaaaaa', ...on.at('docs/Guide.md', 'changed') },
        { tool: 'edit_file', session: 'bbbbbb', outcome: 'failed', error: 'not-found' },
      );
      const page = await on.open();
      await page.getByLabel('Tool').selectOption('edit_file');
      await on.shows('2 of 3');
      await page.getByLabel('Outcome').selectOption('failed');
      await on.shows('1 of 3');
      await page.getByRole('button', { name: 'Clear' }).click();
      await on.shows('3 calls');
      await page.getByLabel('Path').fill('guide');
      await on.shows('1 of 3');
      expect(await on.rows.locator('.path').textContent()).toBe('docs/Guide.md');
      await page.getByLabel('Path').fill('no such thing');
      await page.getByText('No calls match the filters.').waitFor();
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByLabel('Session').selectOption({ label: 'replay · bbbbbb' });
      await on.shows('1 of 3');
      on.add({ session: 'aaaaaa' }, { session: 'bbbbbb' });
      await on.shows('2 of 5');
      expect(await on.rows.count()).toBe(2);
      await page.getByRole('button', { name: 'Clear' }).click();
      on.add(
        { tool: 'write_file', dialect: 'patch', outcome: 'failed', error: 'outside', ...on.at('a&b #1') },
        { outcome: 'failed', error: 'cancelled' },
      );
      for (const [kind, mark] of [
        ['cancelled', '– cancelled'],
        ['refused', '⊘ outside'],
      ]) {
        await page.getByLabel('Outcome').selectOption(kind!);
        await on.shows('1 of 7');
        expect(await on.rows.locator('.outcome').textContent()).toBe(mark);
      }
      await page.getByLabel('Dialect').selectOption('patch');
      await page.getByLabel('Path').fill('a&b #1');
      const address = () => page.evaluate<string>('location.href');
      const link = await address();
      await page.getByRole('button', { name: 'Clear' }).click();
      await on.shows('7 calls');
      expect(await address()).toBe(on.address);
      await page.goto(link);
      await on.shows('1 of 7');
      await page.reload();
      await on.shows('1 of 7');
      expect(await on.rows.locator('.path').textContent()).toBe('a&b #1');
      expect(await page.getByLabel('Dialect').inputValue()).toBe('patch');
      expect(await page.getByLabel('Path').inputValue()).toBe('a&b #1');
      await page.getByRole('link', { name: 'Skip to the calls' }).press('Enter');
      await on.shows('1 of 7');
    });

    it('stays where the user reads, and follows the newest calls again on request', async () => {
      on.add(...Array.from({ length: 300 }, (_, index) => ({ tool: `tool-${index}` })));
      const page = await on.open();
      await on.shows('300 calls');
      await page.evaluate("document.getElementById('calls').scrollTop = 3000");
      const follow = page.getByRole('button', { name: 'Follow' });
      await page.locator('#follow[aria-pressed=false]').waitFor();
      await on.isDrawn();
      const top = () =>
        page.evaluate(
          "document.elementFromPoint(600, 400).closest('.row').querySelector('.tool').textContent",
        );
      const seen = await top();
      on.add(...Array.from({ length: 5 }, () => ({ tool: 'new' })));
      await page.getByRole('button', { name: 'Follow (5 new)' }).waitFor();
      await on.shows('305 calls');
      expect(await top()).toBe(seen);
      await follow.click();
      await on.rows.filter({ hasText: 'new' }).first().waitFor();
      await expect.poll(() => page.evaluate("document.getElementById('calls').scrollTop")).toBe(0);
    });

    it('shows any number of events with few row elements', async () => {
      const count = soak(5000, 100_000);
      const all = count.toLocaleString('en');
      const now = Date.now();
      for (let index = 0; index < count; index++) {
        const path = `src/part-${index % 977}/file-${index}.ts`;
        on.add({
          ...on.at(path),
          at: now - (count - index) * 10,
          tool: `tool-${index % 7}`,
          ms: index % 50,
        });
      }
      const page = await on.open();
      await on.shows(`${all} calls`);
      expect(await page.locator('.rows .row').count()).toBeLessThan(100);
      await page.locator('#filter-path').fill('part-5/file');
      await on.shows(`${Math.ceil((count - 5) / 977)} of ${all}`);
      await page.getByRole('button', { name: 'Clear' }).click();
      await page.getByRole('grid').focus();
      await page.keyboard.press('End');
      await page.getByRole('row', { name: /file-0\.ts/ }).waitFor();
      expect(await page.locator('.rows .row').count()).toBeLessThan(100);
    });

    it('shows names as text, even if they look like markup', async () => {
      const name = '<img src=x onerror="document.title=1"><script>alert(1)</script>&amp;.txt';
      on.add({ ...on.at(name), tool: '<b>tool</b>', who: '<i>me</i>', note: '<u>note</u>' });
      const page = await on.open();
      await on.shows('1 call');
      expect(await on.rows.locator('.path .name').textContent()).toContain(name.slice(0, 30));
      await on.rows.first().click();
      await page.locator('.facts', { hasText: '<u>note</u>' }).waitFor();
      await page.locator('.tree', { hasText: '<img src=x onerror=' }).waitFor({ state: 'attached' });
      expect(await page.locator('#app main :is(img, script, b, i, u)').count()).toBe(0);
      expect([await page.title(), on.complaints]).toEqual(['Tool Trace · Cofferdam', []]);
    });

    it('can be used with the keyboard alone', async () => {
      on.add({ tool: 'first' }, { tool: 'second' }, { tool: 'third', note: 'what is to be known' });
      const page = await on.open();
      await on.shows('3 calls');
      await page.keyboard.press('/');
      await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('filter-path');
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      await page.locator('.row[aria-selected=true]', { hasText: 'third' }).waitFor();
      await page.keyboard.press('Enter');
      const details = page.getByRole('complementary', { name: 'Details of the call' });
      await details.getByText('what is to be known').waitFor();
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('third');
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'hidden' });
      await page.keyboard.press('End');
      const last = page.locator('.row[aria-selected=true]', { hasText: 'first' });
      await last.waitFor();
      const id = await last.getAttribute('id');
      const grid = page.getByRole('grid');
      await expect.poll(() => grid.getAttribute('aria-activedescendant')).toBe(id);
      await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('4');
    });
  });

  describe('a call that changed something', () => {
    it('shows its diff in colour, and is undone only after a dialog that shows what would happen', async () => {
      on.change('one\nTWO\nthree\n');
      const page = await on.open();
      await on.openChange();
      expect(await page.locator('.line.added').textContent()).toBe('2+TWO');
      expect(await page.locator('.line.removed').textContent()).toBe('2−two');
      const colour = (kind: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('.line.${kind}')).backgroundColor`);
      expect(new Set([await colour('added'), await colour('removed'), await colour('same')]).size).toBe(3);
      expect(await page.locator('.entry .badge').textContent()).toBe('done');
      await page.getByRole('button', { name: 'Undo…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Undo edit_file?' });
      await dialog.getByText('restore src/a.ts').waitFor();
      expect(await dialog.locator('.line.added').textContent()).toContain('two');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      expect(readFileSync(on.file, 'utf8')).toBe('one\nTWO\nthree\n');
      await page.getByRole('button', { name: 'Undo…' }).click();
      await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
      await page.getByText('1 change of edit_file undone.').waitFor();
      expect(readFileSync(on.file, 'utf8')).toBe('one\ntwo\nthree\n');
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.locator('.entry .badge', { hasText: 'undone' }).waitFor();
      await page.getByRole('button', { name: 'Undo…' }).waitFor({ state: 'detached' });
      await page.locator('.row.undone .outcome', { hasText: '↶ undone' }).waitFor();
      expect(on.sources.history.undone).toEqual([{ id: 'e1', force: false, who: 'owner' }]);
    });

    it('shows what is in the way of an undo, and keeps both versions if the user continues', async () => {
      on.change('one\nTWO\nthree\n');
      const page = await on.open();
      await on.openChange();
      writeFileSync(on.file, 'one\nTWO\nthree\nmine\n');
      await page.getByRole('button', { name: 'Undo…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('It was changed since.').waitFor();
      expect(await dialog.locator('.obstacles .line.added').textContent()).toContain('mine');
      await dialog.getByRole('button', { name: 'Undo', exact: true }).waitFor({ state: 'detached' });
      await dialog.getByRole('button', { name: 'Undo anyway, keeping both' }).click();
      await page.getByText('1 change of edit_file undone.').waitFor();
      expect(readFileSync(on.file, 'utf8')).toBe('one\ntwo\nthree\n');
      expect(readFileSync(`${on.file}.kept`, 'utf8')).toContain('mine');
    });

    it('says so when a file changes after the dialog was opened', async () => {
      on.change('one\nTWO\nthree\n');
      const page = await on.open();
      await on.openChange();
      await page.getByRole('button', { name: 'Undo…' }).click();
      const undo = page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true });
      await undo.waitFor();
      writeFileSync(on.file, 'mine\n');
      await undo.click();
      await page.getByText('Nothing was undone: something changed in the meantime.').waitFor();
      expect(readFileSync(on.file, 'utf8')).toBe('mine\n');
      await page.getByRole('button', { name: 'Undo anyway, keeping both' }).waitFor();
    });
  });

  describe('the other views', () => {
    it('include a tree with reads and writes, which the keyboard opens and filters by', async () => {
      on.add({}, {}, on.at('src/b.ts', 'changed'), on.at('README.md'));
      const page = await on.open();
      const tree = page.getByRole('tree', { name: 'Workspace' });
      const src = tree.getByRole('treeitem', { name: 'src, 2 reads, 1 write' });
      await src.waitFor();
      await expect.poll(() => src.getAttribute('aria-expanded')).toBe('false');
      await tree.getByRole('treeitem').first().focus();
      for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
      const focused = () => page.evaluate('document.activeElement.ariaLabel');
      await expect.poll(focused).toBe('b.ts, 0 reads, 1 write');
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('Enter');
      await expect.poll(() => page.getByLabel('Path').inputValue()).toBe(join(on.http.root, 'src/'));
      await on.shows('3 of 4');
      const root = tree.getByRole('treeitem').first();
      await expect.poll(() => root.getAttribute('aria-label')).toMatch(/, 3 reads, 1 write$/);
      on.add({ tool: 'other', ...on.at('docs/x.md') });
      await page.getByLabel('Tool').selectOption('other');
      await expect.poll(() => root.getAttribute('aria-label')).toMatch(/, 1 read, 0 writes$/);
    });

    it('include charts of calls, errors, durations and tokens, with a description in words', async () => {
      const now = Date.now();
      on.add({ at: now - 5000, ms: 10 }, { at: now, ms: 30, outcome: 'failed', error: 'x', tokensOut: 900 });
      const page = await on.open();
      const chart = (name: string) => page.getByRole('img', { name: new RegExp(`^${name}`) });
      await page.locator('.chart-calls .sum', { hasText: '2' }).waitFor();
      for (const name of ['Calls', 'Errors', 'Duration', 'Tokens']) {
        expect(await chart(name).locator('path').first().getAttribute('d')).toMatch(/^M/);
        expect(await chart(name).locator('desc').textContent()).toContain('in steps of 1 s');
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

    it('have a light and a dark theme', async () => {
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      const page = await on.open({ colorScheme: 'dark' });
      const dark = await ground();
      await page.emulateMedia({ colorScheme: 'light' });
      await expect.poll(ground).not.toBe(dark);
      await page.getByRole('button', { name: /^Colours: auto/ }).click();
      await page.getByRole('button', { name: /^Colours: light/ }).click();
      await expect.poll(ground).toBe(dark);
      await page.reload();
      await expect.poll(ground).toBe(dark);
    });

    it('fit a phone, where an open call fills the screen', async () => {
      on.change('one\nTWO and a line that is much too long for such a small screen, by far\nthree\n');
      on.add({
        ...on.at('a/very/long/way/to/a/file/that/nobody/would/type/on/a/phone/with-a-long-name.generated.ts'),
      });
      const page = await on.open({ viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
      const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
      await on.shows('2 calls');
      await expect.poll(overflow).toBe(0);
      await on.openChange();
      const details = page.locator('#details');
      await expect.poll(() => details.boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 });
      await expect.poll(overflow).toBe(0);
      await page.getByRole('button', { name: 'Undo…' }).click();
      await page.getByRole('dialog').getByText('restore').waitFor();
      await expect.poll(overflow).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Close' }).click();
      for (const tab of ['Tree', 'Charts', 'Calls']) {
        await page.getByRole('button', { name: tab, exact: true }).click();
        await expect.poll(overflow).toBe(0);
      }
      expect(on.complaints).toEqual([]);
    });
  });
}

/** A proxy between the browser and the server that can cut the connection until it is mended. */
class CuttableProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  port = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => {
      if (this.#isCut) return void client.destroy();
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

  static async start(target: number): Promise<CuttableProxy> {
    const proxy = new CuttableProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    proxy.port = (proxy.#server.address() as { port: number }).port;
    return proxy;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  stop(): void {
    this.#server.close();
    this.cut();
  }
}
