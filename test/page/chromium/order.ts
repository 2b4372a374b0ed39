/** The order of the calls and their time range, on the page in a real Chromium. */
import { expect, it } from 'vitest';
import type { PageFixture } from '../page-fixture.ts';

/** A multiple of the steps of the charts, which begin at whole seconds. */
const BEGAN = 1_760_000_000_000;

export function testOrder(on: PageFixture): void {
  const texts = async (column: string) => {
    await on.isDrawn();
    return on.rows.locator(`.${column}`).allTextContents();
  };
  const address = () => on.page.evaluate<string>('location.hash');

  it('sorts by a column, reverses the order, and shows the newest first again; a link opens the same order', async () => {
    const added = (tool: string, ms: number, tokensOut: number) => on.add({ tool, ms, tokensOut });
    added('read_file', 30, 7);
    added('edit_file', 900, 1);
    added('write_file', 2, 50);
    const page = await on.open();
    await on.shows('3 calls');
    const heading = (name: string) => page.getByRole('columnheader', { name });
    expect(await heading('Time').getAttribute('aria-sort')).toBe('descending');
    await heading('Duration').getByRole('button').click();
    expect(await texts('tool')).toEqual(['edit_file', 'read_file', 'write_file']);
    expect(await heading('Duration').getAttribute('aria-sort')).toBe('descending');
    expect(await heading('Time').getAttribute('aria-sort')).toBe(null);
    expect(await address()).toBe('#sort=-took');
    await page.reload();
    await on.shows('3 calls');
    expect(await texts('tool')).toEqual(['edit_file', 'read_file', 'write_file']);
    // A new call is sorted in, and the keyboard follows the order of the list.
    added('move_file', 500, 3);
    await on.shows('4 calls');
    await expect.poll(() => texts('tool')).toEqual(['edit_file', 'move_file', 'read_file', 'write_file']);
    await page.getByRole('grid').press('Home');
    await page.getByRole('grid').press('ArrowDown');
    await on.isDrawn();
    expect(await page.locator('[aria-selected=true] .tool').textContent()).toBe('move_file');
    await heading('Duration').getByRole('button').click();
    expect(await texts('tool')).toEqual(['write_file', 'read_file', 'move_file', 'edit_file']);
    await heading('Tool').getByRole('button').press('Enter');
    expect(await texts('tool')).toEqual(['edit_file', 'move_file', 'read_file', 'write_file']);
    expect(await page.locator('#follow').getAttribute('aria-pressed')).toBe('false');
    await page.getByRole('button', { name: 'Follow' }).click();
    expect((await texts('tool'))[0]).toBe('move_file');
    expect(await address()).toBe('');
    expect(on.complaints).toEqual([]);
  });

  it('shows the time range that the user drags on a chart, in the tree too, until it is cleared', async () => {
    for (let second = 0; second < 40; second++)
      on.add({ at: BEGAN + second * 1000, tool: `tool-${second}`, ...on.at(`file-${second}.ts`) });
    const page = await on.open();
    await on.shows('40 calls');
    await page.locator('.chart-calls path[d^=M]').waitFor({ state: 'attached' });
    const box = (await page.getByRole('img', { name: /^Calls/ }).boundingBox())!;
    const at = (second: number) => box.x + (box.width * (second + 0.5)) / 40;
    await page.mouse.move(at(10), box.y + 20);
    await page.mouse.down();
    await page.mouse.move(at(12), box.y + 20);
    await page.mouse.move(at(14), box.y + 20);
    await page.mouse.up();
    await on.shows('5 of 40');
    expect(await texts('tool')).toEqual(['tool-14', 'tool-13', 'tool-12', 'tool-11', 'tool-10']);
    expect(await address()).toBe(`#from=${BEGAN + 10_000}&to=${BEGAN + 15_000}`);
    await page.reload();
    await on.shows('5 of 40');
    await expect.poll(() => page.getByRole('treeitem', { name: /^file-/ }).count()).toBe(5);
    await page.getByTitle('Show all times').click();
    await on.shows('40 calls');
    expect(await page.getByTitle('Show all times').isVisible()).toBe(false);
    // A click selects no range. The keyboard can select one, too.
    await page.mouse.click(at(20), box.y + 20);
    await page.getByRole('img', { name: /^Tokens/ }).focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Enter');
    await on.shows('2 of 40');
    await page.getByRole('button', { name: 'Clear' }).click();
    await on.shows('40 calls');
    expect(await address()).toBe('');
  });

  it('has charts with a unit, a maximum and a legend', async () => {
    on.add({ at: BEGAN, ms: 10, tokensOut: 5 }, { at: BEGAN + 100, ms: 30, tokensOut: 900 });
    const page = await on.open();
    await page.locator('.chart-calls .sum', { hasText: '2' }).waitFor();
    expect(await page.locator('.chart .most').allTextContents()).toEqual([
      'max 2',
      '',
      'max 30 ms',
      'max 905',
    ]);
    expect(await page.locator('.chart .legend').allTextContents()).toEqual([
      ...['per 1 s', 'per 1 s', 'median95th', 'per 1 s'],
    ]);
  });
}
