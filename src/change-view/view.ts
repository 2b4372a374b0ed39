/** Shows what a call changed, and undoes or redoes it. If the call changed nothing, shows its answer. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { plural } from '../page/data/format.ts';
import { diffView, plainDiff } from '../page/views/details/diff-view.ts';
import { button, el, part } from '../page/views/elements/dom.ts';
import { visibleLines } from '../page/views/elements/visible-text.ts';
import { type ChangeNote, diffIn, madeBy, type ShownChange, textOf } from './change.ts';
import { Host } from './host.ts';

const SHOWN_AT_FIRST = 5;

const box = part('change');
const host = new Host(window.parent, { onResult, onCancelled, onContext });

function onResult(result: CallToolResult): void {
  const made = madeBy(result);
  if (!made?.show) {
    box.replaceChildren(answerView(result));
    return;
  }
  const sections = made.entries.map(() => el('section', { class: 'change' }));
  box.replaceChildren(...sections);
  for (const [at, section] of sections.entries()) {
    const entry = made.entries[at]!;
    void show(section, made, entry).catch(({ message }: Error) =>
      section.replaceChildren(answerView(result), problemView(`The change cannot be shown: ${message}`)),
    );
  }
}

function onCancelled(): void {
  box.replaceChildren(el('p', { class: 'note' }, 'The call was cancelled.'));
}

function onContext({ theme, styles }: McpUiHostContext): void {
  const { style, dataset } = document.documentElement;
  if (theme) dataset.theme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (value !== undefined) style.setProperty(name, value);
}

async function show(section: HTMLElement, made: ChangeNote, entry: string, problem?: string): Promise<void> {
  const result = await host.callTool(made.show!, { entry });
  if (result.isError) throw new Error(textOf(result));
  const change = result.structuredContent as unknown as ShownChange;
  const { files, moreFiles = 0, state, roots } = change;
  const hadFocus = section.contains(document.activeElement);
  section.dataset.state = state;
  section.replaceChildren(headOf(section, made, change), ...(problem ? [problemView(problem)] : []));
  section.append(...files.slice(0, SHOWN_AT_FIRST).map((file) => diffView(file, roots)));
  const rest = files.slice(SHOWN_AT_FIRST).map((file) => diffView(file, roots));
  if (rest.length > 0) {
    const more = button(`Show ${plural(rest.length, 'more change')}`, () => more.replaceWith(...rest));
    section.append(more);
  }
  if (moreFiles > 0) section.append(el('p', { class: 'note' }, `and ${plural(moreFiles, 'more change')}`));
  if (hadFocus) section.querySelector<HTMLElement>('button')?.focus();
}

function headOf(section: HTMLElement, made: ChangeNote, change: ShownChange): HTMLElement {
  const { files, moreFiles = 0, state, undoes } = change;
  const what = plural(files.length + moreFiles, 'change');
  const said = undoes === undefined ? what : `${what}, back to an earlier state`;
  const head = el('div', { class: 'change-head' }, el('span', { class: 'note', role: 'status' }, said));
  if (state === 'undone') head.append(el('span', { class: 'badge' }, 'undone'));
  const target = state === 'undone' ? change.undoneBy : change.entry;
  if (made.undo === undefined || target === undefined || state === 'pending') return head;
  const isRedo = state === 'undone';
  const act = button(isRedo ? 'Redo' : 'Undo', () => {
    act.disabled = true;
    act.textContent = isRedo ? 'Redoing…' : 'Undoing…';
    void undoEntry(section, made, change.entry, target);
  });
  head.append(act);
  return head;
}

/** Undoes an entry, then reads the change again: somebody else may have undone it meanwhile. */
async function undoEntry(
  section: HTMLElement,
  made: ChangeNote,
  entry: string,
  target: string,
): Promise<void> {
  const problem = await host.callTool(made.undo!, { entry: target }).then(
    (result) => (result.isError ? textOf(result) : undefined),
    ({ message }: Error) => message,
  );
  await show(section, made, entry, problem).catch(({ message }: Error) =>
    section.append(problemView(message)),
  );
}

/** Shows the answer of a dry run as a diff. */
function answerView(result: CallToolResult): HTMLElement {
  const text = textOf(result);
  const diff = result.isError ? undefined : diffIn(text);
  if (diff !== undefined) return plainDiff(diff, 'Diff');
  return result.isError ? problemView(text) : el('pre', {}, ...visibleLines(text));
}

/** When something is in the way of an undo, the server's answer has a diff of it. */
function problemView(text: string): HTMLElement {
  const diff = diffIn(text);
  const said = diff === undefined ? text : text.slice(0, text.indexOf(diff)).trimEnd();
  const box = el('div', { class: 'problem', role: 'alert' }, el('pre', {}, ...visibleLines(said)));
  if (diff !== undefined) box.append(plainDiff(diff, 'What is in the way'));
  return box;
}

new ResizeObserver(() =>
  host.sizeChanged(Math.ceil(document.documentElement.getBoundingClientRect().height)),
).observe(document.documentElement);
await host.connect();
