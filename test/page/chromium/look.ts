/** How the page looks in a real Chromium: misleading names, focus, space and contrast. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/display/plain-text.ts';
import { grants, type PageFixture } from '../page-fixture.ts';

/** Names, and how the page must show them. */
const NAMES = {
  'src\\a.ts': 'src\\a.ts',
  '\u202egnp.exe': '\\u202egnp.exe',
  'lead.txt\u200b': 'lead.txt\\u200b',
  'lead.txt ': 'lead.txt\\x20',
  'a\nb.txt': 'a\\nb.txt',
  'a  b.txt': 'a  b.txt',
  'a\u00a0b.txt': 'a\\xa0b.txt',
};

export function testLook(on: PageFixture): void {
  const boxOf = async (place: Locator) => (await place.boundingBox())!;
  const bottomOf = ({ y, height }: { y: number; height: number }) => y + height;
  const isCut = (place: Locator) => place.evaluate((each) => each.scrollWidth > each.clientWidth);
  /** The text as a user sees it, without collapsed spaces. */
  const asRead = (place: Locator) =>
    place.evaluate((each) => {
      const { whiteSpaceCollapse } = each.ownerDocument.defaultView!.getComputedStyle(each);
      const text = each.textContent ?? '';
      return whiteSpaceCollapse === 'preserve' ? text : text.replace(/ +/g, ' ').trim();
    });
  const focused = () =>
    on.page.evaluate('`${document.activeElement.tagName} ${document.activeElement.textContent}`');

  describe('a name', () => {
    it('is shown unambiguously everywhere, including the dialog before an undo', async () => {
      const { root } = on.http;
      const names = Object.keys(NAMES);
      for (const [index, name] of names.entries()) {
        writeFileSync(join(root, name), 'one\n');
        on.change('two\n', name, `e${index}`);
      }
      const paths = names.flatMap((name) => on.at(name, 'changed').paths);
      on.add({ tool: 'all_of_them', entries: names.map((_, index) => `e${index}`), paths });
      // One dialog for all of them.
      const { history } = on.sources;
      const plans = await Promise.all(names.map((_, index) => history.plan(`e${index}`)));
      const [steps, diffs] = [plans.flatMap((plan) => plan.steps), plans.flatMap((plan) => plan.diffs)];
      history.plan = async () => ({ steps, diffs, obstacles: [] });
      const page = await on.open();
      await on.shows(`${names.length + 1} calls`);
      const readAll = async (places: Locator) => Promise.all((await places.all()).map(asRead));
      const [, ...rows] = await readAll(on.rows.locator('.path .name'));
      expect(rows.reverse()).toEqual(Object.values(NAMES));
      await on.rows.filter({ hasText: 'all_of_them' }).click();
      await expect.poll(() => page.locator('.entry .diff').count()).toBe(names.length);
      await page.getByRole('button', { name: 'Undo…' }).first().click();
      const dialog = page.getByRole('dialog');
      await expect.poll(() => dialog.getByText('restore').count()).toBe(names.length);
      for (const place of ['.paths code', '.entry .diff-head code'])
        expect(await readAll(page.locator(place)), place).toEqual(Object.values(NAMES));
      for (const place of ['.steps code', '.diff-head code'])
        expect(await readAll(dialog.locator(place)), place).toEqual(Object.values(NAMES));
      for (const code of await dialog.locator('code').all())
        expect(await code.getAttribute('title')).not.toMatch(/[\u202e\u200b\n\u00a0]/);
      await page.keyboard.press('Escape');
      const inTree = async () => {
        const [_root, ...places] = await readAll(page.locator('.place .name'));
        return new Set(places);
      };
      await expect.poll(inTree).toEqual(new Set(Object.values(NAMES)));
    });

    it('looks different from a name that contains the escape as text, and stays between its slashes if it is written from right to left; a created file is shown, not its new directories', async () => {
      on.add(on.at('\\u202egnp.exe'), on.at('\u202egnp.exe'));
      on.add({ tool: 'to_the_left', ...on.at('\u05d0/\u05d1/1.txt') });
      const paths = ['new', 'new/deep', 'new/deep/file.ts'].flatMap((path) => on.at(path, 'created').paths);
      on.add({ tool: 'write_file', paths });
      await on.open();
      await on.shows('4 calls');
      const named = (tool: string) => on.rows.filter({ hasText: tool });
      expect(await named('read_file').locator('.path .name').allTextContents()).toEqual([
        '\\u202egnp.exe',
        '\\u202egnp.exe',
      ]);
      expect(await on.rows.locator('.path .unseen').allTextContents()).toEqual(['\\u202e']);
      const names = named('to_the_left').locator('.one-name').filter({ hasText: /./ });
      const lefts = await names.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().left));
      expect(lefts).toHaveLength(2);
      expect(lefts).toEqual(lefts.toSorted((one, other) => one - other));
      expect(await named('write_file').locator('.path').textContent()).toBe('new/deep/file.ts+2');
    });

    it('filters for exactly that file when it is picked in the tree', async () => {
      for (const name of ['lead.txt', 'lead.txt.bak', ...Object.keys(NAMES)]) on.add(on.at(name));
      const page = await on.open();
      for (const [name, read] of Object.entries({ ...NAMES, 'lead.txt': 'lead.txt' })) {
        await page.locator('.place .name').getByText(read, { exact: true }).click();
        await on.shows('1 of 9');
        await expect.poll(() => on.rows.locator('.name').allTextContents()).toEqual([read]);
        await expect.poll(() => page.getByLabel('Path').inputValue()).toBe(plain(join(on.http.root, name)));
      }
    });
  });

  describe('a content', () => {
    it('shows characters that change the text direction, in diffs, arguments and answers', async () => {
      const nasty = 'if (isAdmin\u202e \u2066// check\u2069 \u2066) {';
      const read = 'if (isAdmin\\u202e \\u2066// check\\u2069 \\u2066) {';
      on.change(`one\n\t${nasty}\nthree\n`);
      on.add({ tool: 'said', arguments: nasty, answer: `first\n\t${nasty}` });
      const page = await on.open();
      await on.openChange();
      expect(await page.locator('.line.added .code').textContent()).toBe(`\t${read}`);
      await on.rows.filter({ hasText: 'said' }).click();
      const said = page.locator('.contents pre');
      await expect.poll(() => said.allTextContents()).toEqual([read, `first\n\t${read}`]);
    });

    it('shows line ends that differ', async () => {
      writeFileSync(on.file, 'one\r\ntwo\r\n');
      on.change('one\r\nTWO\n');
      const page = await on.open();
      await on.openChange();
      expect(await page.locator('.line.added .code').textContent()).toBe('TWO');
      expect(await page.locator('.line.removed .code').textContent()).toBe('two\\r');
    });
  });

  describe('the keyboard', () => {
    it('has a focus ring around the list, above its rows', async () => {
      on.add({}, {});
      const page = await on.open();
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowDown');
      const ring = () =>
        page.evaluate(`(() => {
        const { content, borderTopWidth, zIndex } = getComputedStyle(document.querySelector('.list-pane'), '::after');
        const head = getComputedStyle(document.querySelector('.row.head')).zIndex;
        return { content, borderTopWidth, isAbove: Number(zIndex) > Number(head) };
      })()`);
      await expect.poll(ring).toEqual({ content: '""', borderTopWidth: '2px', isAbove: true });
    });

    it('keeps the focus when an undo is cancelled, and continues in the call after an undo', async () => {
      on.change('one\nTWO\nthree\n');
      const page = await on.open();
      await on.openChange();
      await page.getByRole('button', { name: 'Undo…' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByText('restore').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expect.poll(focused).toBe('BUTTON Undo…');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').getByText('restore').waitFor();
      await page.keyboard.press('Tab');
      await expect.poll(focused).toBe('BUTTON Undo');
      await page.keyboard.press('Enter');
      await page.getByText('1 change of edit_file undone.').waitFor();
      await page.locator('.entry .badge', { hasText: 'undone' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await expect.poll(focused).toBe('H2 edit_file');
    });
  });

  describe('has space', () => {
    it('for the highest value above its bar', async () => {
      on.add({}, {}, {});
      const page = await on.open();
      await page.locator('.chart-calls .most', { hasText: '3' }).waitFor();
      const overlap = async () => {
        const label = await boxOf(page.locator('.chart-calls .most'));
        const bars = await boxOf(page.locator('.chart-calls path'));
        return label.y + label.height - bars.y;
      };
      await expect.poll(overlap).toBeLessThanOrEqual(1);
    });

    it('for the names of tools, the filters and the chart titles beside an open call on a tablet', async () => {
      on.change('one\nTWO\nthree\n');
      on.add({ tool: 'read_multiple_files', ms: 950 }, { tool: 'search_and_replace', ms: 0.5 });
      const page = await on.open({ viewport: { width: 768, height: 1024 } });
      await on.openChange();
      const areCut = (places: Locator) => async () => {
        const cut = [];
        for (const place of await places.all()) cut.push(await isCut(place));
        return cut;
      };
      await expect.poll(areCut(on.rows.locator('.tool'))).toEqual([false, false, false]);
      await expect.poll(areCut(page.locator('.chart .title'))).toEqual([false, false, false, false]);
      const path = () => boxOf(page.locator('#filter-path'));
      await expect.poll(async () => (await boxOf(page.locator('#follow'))).y - (await path()).y).toBe(0);
      await expect.poll(async () => (await path()).width).toBeGreaterThan(120);
    });

    it('for the calls on a phone in landscape orientation', async () => {
      on.change('one\nTWO\nthree\n');
      for (let index = 0; index < 20; index++) on.add({});
      const page = await on.open({ viewport: { width: 844, height: 390 }, hasTouch: true, isMobile: true });
      await on.shows('21 calls');
      const list = page.locator('#calls');
      await expect.poll(async () => (await boxOf(list)).height).toBeGreaterThan(390 * 0.7);
      for (const tab of ['Tree', 'Charts', 'Calls'])
        await page.getByRole('button', { name: tab, exact: true }).click();
      await page.locator('#filter-tool').selectOption('edit_file');
      await on.shows('1 of 21');
      await on.openChange();
      const details = page.locator('#details');
      await expect.poll(() => boxOf(details)).toEqual({ x: 0, y: 0, width: 844, height: 390 });
      await expect.poll(focused).toBe('H2 edit_file');
      await page.getByRole('button', { name: 'Undo…' }).click();
      const undo = page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true });
      await expect.poll(async () => bottomOf(await boxOf(undo))).toBeLessThanOrEqual(390);
      const overflow = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
      await expect.poll(overflow).toBe(0);
    });

    it('for the buttons on a small phone without a connection', async () => {
      const page = await on.open({ viewport: { width: 320, height: 568 } });
      await page.route('**/page/**', (route) => route.abort());
      on.http.serving.replaceTokens(grants.slice(1));
      await page.locator('#state', { hasText: 'No connection' }).waitFor();
      const right = async () => {
        const { x, width } = await boxOf(page.getByRole('button', { name: 'Sign out' }));
        return x + width;
      };
      await expect.poll(right).toBeLessThanOrEqual(320);
    });

    it('for the picked call when the rows of the list become taller', async () => {
      for (let index = 0; index < 60; index++) on.add({ tool: `tool-${index}` });
      const page = await on.open({ viewport: { width: 768, height: 1024 } });
      await on.shows('60 calls');
      const picked = page.getByRole('row', { name: /tool-37/ });
      const { height } = await boxOf(picked);
      await picked.click();
      await page.locator('#details h2', { hasText: 'tool-37' }).waitFor();
      await expect.poll(async () => (await boxOf(picked)).height).toBeGreaterThan(height);
      const below = async () => bottomOf(await boxOf(picked)) - bottomOf(await boxOf(page.locator('#calls')));
      await expect.poll(below).toBeLessThanOrEqual(1);
    });
  });

  it('has enough contrast for every text, in the light and the dark theme', async () => {
    const hows = ['created', 'changed', 'removed', 'read', 'refused'] as const;
    const paths = hows.flatMap((how) => on.at(`lead\u200b-${how}`, how).paths);
    on.add({ outcome: 'failed', error: 'not-found' }, { paths, arguments: 'x' });
    on.change('one\nTWO\nthree\n');
    on.sources.events.add({ roots: [on.http.root], entries: ['e1'], tool: 'both', paths });
    const page = await on.open();
    await on.rows.filter({ hasText: 'both' }).click();
    await page.locator('.entry .diff').waitFor();
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await ground();
    await expect.poll(() => page.evaluate(CONTRAST)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(ground).not.toBe(light);
    await expect.poll(() => page.evaluate(CONTRAST)).toEqual([]);
  });
}

/** Finds texts with a contrast below 4.5:1; disabled controls do not count. */
const CONTRAST = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const channels = (colour, below) => {
    canvas.fillStyle = below;
    canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour, below) => {
    const [r, g, b] = channels(colour, below).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === 'rgba(0, 0, 0, 0)' && element.parentElement
      ? behind(element.parentElement)
      : backgroundColor;
  };
  const weak = [];
  const look = (element, style, text) => {
    const below = behind(element);
    const [one, other] = [light(below, below), light(style.color, below)].sort((a, b) => b - a);
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < 4.5) weak.push(text.slice(0, 30) + ' ' + contrast.toFixed(2));
  };
  for (const element of document.querySelectorAll('#app *')) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join('').trim();
    if (!element.checkVisibility() || element.matches(':disabled, svg *')) continue;
    if (text !== '') look(element, getComputedStyle(element), text);
    if (element.placeholder) look(element, getComputedStyle(element, '::placeholder'), element.placeholder);
  }
  return weak;
})()`;
