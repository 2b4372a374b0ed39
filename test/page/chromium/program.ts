/** The built program and a real Chromium: the page shows a call as it happens, its details, and undoes it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callOver, ProgramFixture, TOKEN } from '../../server/page/program-fixture.ts';
import type { PageFixture } from '../page-fixture.ts';

export function testProgram(on: PageFixture): void {
  let fixture: ProgramFixture;
  let page: Page;
  beforeAll(async () => {
    fixture = new ProgramFixture({ 'src/a.ts': 'one\ntwo\nthree\n' });
    page = await on.newPage();
  });
  afterAll(() => fixture.end());

  it('show an edit as it happens, undo it and redo it', async () => {
    const file = join(fixture.root, 'src/a.ts');
    const port = await fixture.serve();
    await page.goto(`http://127.0.0.1:${port}/#token=${TOKEN}`);
    await page.getByText('No calls yet.').waitFor();
    const config = page.locator('.config', { hasText: 'Cursor' }).locator('pre');
    const { mcpServers } = JSON.parse((await config.textContent())!);
    expect(mcpServers.cofferdam.args).toContain(fixture.root);
    await page.locator('#state', { hasText: 'Live' }).waitFor();
    const edits = [{ oldText: 'two', newText: 'TWO' }];
    await callOver(port, 'edit_file', { path: 'src/a.ts', edits });
    await page.getByRole('row', { name: /edit_file/ }).click();
    await page.locator('#first-steps').waitFor({ state: 'hidden' });
    await page.locator('.line.added', { hasText: 'TWO' }).waitFor();
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\nthree\n');
    await page.getByRole('button', { name: 'Undo…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo', exact: true }).click();
    await page.getByText('1 change of edit_file undone.').waitFor();
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\nthree\n');
    await page.locator('.entry .badge', { hasText: 'undone' }).waitFor();
    const row = page.getByRole('row', { name: /edit_file/ });
    await row.locator('.outcome', { hasText: '↶ undone' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Redo…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redo', exact: true }).click();
    await page.getByText('1 change of edit_file redone.').waitFor();
    expect(readFileSync(file, 'utf8')).toBe('one\nTWO\nthree\n');
    await row.locator('.outcome', { hasText: '✓ changed' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Undo…' }).waitFor();
    await callOver(port, 'read_file', { path: '../outside' });
    await page.getByRole('row', { name: /outside/ }).waitFor();
  });
}
