/** The view of a change, in the extension's host in a real Chromium, with the real program. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PageFixture } from '../page/page-fixture.ts';
import { Chat } from './chat.ts';

const edit = { path: 'a.ts', edits: [{ oldText: 'two', newText: 'three' }] };

export function testView(on: PageFixture): void {
  const chat = new Chat();
  beforeAll(() => chat.open(on.browser));
  afterAll(() => chat.close());
  beforeEach(() => {
    chat.refusal = undefined;
    chat.layOut({ 'a.ts': 'one\ntwo\n' });
  });

  it('shows the diff, undoes exactly that change, and redoes it', async () => {
    const view = await chat.call('edit_file', edit);
    await view.getByText('three').waitFor();
    expect(await view.locator('.line.removed .code').allTextContents()).toEqual(['two']);
    expect(await view.locator('.diff-head code').textContent()).toBe('a.ts');
    // Undo must not affect a later change.
    await chat.server.call('write_file', { path: 'b.ts', content: 'later\n' });
    await view.getByRole('button', { name: 'Undo' }).click();
    await view.getByText('undone').waitFor();
    expect([chat.read('a.ts'), chat.read('b.ts')]).toEqual(['one\ntwo\n', 'later\n']);
    expect(chat.called.map(({ name }) => name)).toEqual(['show_change', 'undo', 'show_change']);
    expect(chat.called[1]!.arguments).toEqual(chat.called[0]!.arguments);
    await view.getByRole('button', { name: 'Redo' }).click();
    await view.getByRole('button', { name: 'Undo' }).waitFor();
    expect(chat.read('a.ts')).toBe('one\nthree\n');
    expect(chat.complaints).toEqual([]);
  });

  it('says why the server refuses an undo, and leaves the file unchanged', async () => {
    const view = await chat.call('edit_file', edit);
    await view.getByText('three').waitFor();
    chat.write('a.ts', 'somebody else\n');
    await view.getByRole('button', { name: 'Undo' }).click();
    await view.getByRole('alert').waitFor();
    expect(await view.getByRole('alert').textContent()).toMatch(/cannot be undone; nothing was changed/);
    expect(await view.getByRole('alert').locator('.added .code').textContent()).toBe('somebody else');
    expect(chat.read('a.ts')).toBe('somebody else\n');
    expect(await view.getByRole('button', { name: 'Undo' }).isEnabled()).toBe(true);
  });

  it('says so when the client refuses its call', async () => {
    chat.refusal = 'The user declined';
    const view = await chat.call('edit_file', edit);
    await view.getByRole('button', { name: 'Undo' }).click();
    await view.getByRole('alert').waitFor();
    expect(await view.getByRole('alert').textContent()).toContain('The user declined');
    expect(chat.read('a.ts')).toBe('one\nthree\n');
  });

  it('shows every file of a patch, a move and a removal', async () => {
    chat.layOut({ 'c.ts': 'c\n', 'd.ts': 'd\n' });
    const patch = [
      ...['*** Begin Patch', '*** Update File: a.ts', '@@', '-two', '+2', '*** Delete File: c.ts'],
      ...['*** Update File: d.ts', '*** Move to: e.ts', '@@', '-d', '+e', '*** Add File: f.ts', '+f'],
      '*** End Patch',
    ].join('\n');
    const view = await chat.call('apply_patch', { patch });
    await view.getByText('changes').waitFor();
    const heads = await view.locator('.diff-head').allTextContents();
    for (const name of ['a.ts', 'c.ts', 'd.ts', 'f.ts'])
      expect(heads.some((head) => head.includes(name))).toBe(true);
    await view.getByRole('button', { name: 'Undo' }).click();
    await view.getByText('undone').waitFor();
    expect([chat.read('a.ts'), chat.read('c.ts'), chat.read('d.ts')]).toEqual(['one\ntwo\n', 'c\n', 'd\n']);
  });

  it('shows the answer of a call that changed nothing: a dry run, or a refusal', async () => {
    const dry = await chat.call('edit_file', { ...edit, dryRun: true });
    await dry.getByText('three').waitFor();
    expect(await dry.getByRole('button').count()).toBe(0);
    const edits = [{ oldText: 'absent', newText: 'x' }];
    const refused = await chat.call('edit_file', { path: 'a.ts', edits });
    expect(await refused.getByRole('alert').textContent()).toContain('absent');
    expect(chat.called).toEqual([]);
  });

  it('adopts the theme and the colours of the client, and tells it how much space it needs', async () => {
    const variables = { '--color-background-primary': 'rgb(30, 10, 60)' };
    const view = await chat.call('edit_file', edit, { theme: 'dark', styles: { variables } });
    await view.getByText('three').waitFor();
    const body = view.locator('body');
    expect(await body.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(30, 10, 60)');
    expect(await body.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    const needed = await body.evaluate('document.documentElement.getBoundingClientRect().height');
    const given = () => chat.page.evaluate('document.querySelector("iframe").clientHeight');
    await expect.poll(given).toBe(Math.ceil(needed as number));
  });

  it('treats names and contents as text', async () => {
    chat.layOut({ '<img src=x>.ts': 'one\n' });
    const content = '</script><script>document.title = "broken"</script>\n';
    const view = await chat.call('write_file', { path: '<img src=x>.ts', content });
    await view.getByText('broken').waitFor();
    expect(await view.locator('img').count()).toBe(0);
    expect(chat.complaints).toEqual([]);
  });
}
