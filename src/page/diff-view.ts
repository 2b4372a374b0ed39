/** Diffs in colour: added, removed and unchanged lines with their numbers; long ones open on request. */
import type { PageDiff } from '../server/page/wire.ts';
import { changedCounts, type DiffLine, diffLines } from './diff-lines.ts';
import { button, el } from './dom.ts';

const SHOWN_AT_FIRST = 600;

/** One file: its name, how much changed, and the lines. */
export function diffView(
  { path, to, kind, text, note }: PageDiff,
  named: (path: string) => string,
): HTMLElement {
  const lines = diffLines(text);
  const { added, removed } = changedCounts(lines);
  const name = to === undefined ? named(path) : `${named(path)} → ${named(to)}`;
  const counts = el('span', { class: 'counts' });
  if (added > 0) counts.append(el('span', { class: 'plus' }, `+${added}`));
  if (removed > 0) counts.append(el('span', { class: 'minus' }, `−${removed}`));
  const head = el(
    'div',
    { class: 'diff-head' },
    el('span', { class: 'kind' }, kind),
    el('code', {}, name),
    counts,
  );
  const box = el('div', { class: 'diff-file' }, head);
  if (lines.length > 0) box.append(linesView(lines, `Diff of ${name}`));
  if (note) box.append(el('p', { class: 'note' }, note));
  if (lines.length === 0 && !note) box.append(el('p', { class: 'note' }, 'Nothing to show line by line.'));
  return box;
}

export function plainDiff(text: string, label: string): HTMLElement {
  return linesView(diffLines(text), label);
}

function linesView(lines: readonly DiffLine[], label: string): HTMLElement {
  const list = el('div', { class: 'diff', role: 'group', 'aria-label': label, tabindex: 0 });
  // The file is named above already.
  const shown = lines.filter(({ kind }) => kind !== 'head');
  list.append(...shown.slice(0, SHOWN_AT_FIRST).map(lineView));
  const rest = shown.slice(SHOWN_AT_FIRST);
  if (rest.length === 0) return list;
  const more = button(`Show ${rest.length} more lines`, () => more.replaceWith(...rest.map(lineView)), {
    class: 'quiet',
  });
  list.append(more);
  return list;
}

function lineView({ kind, text, old, new: now }: DiffLine): HTMLElement {
  const isCode = kind === 'same' || kind === 'added' || kind === 'removed';
  return el(
    'div',
    { class: `line ${kind}` },
    el('span', { class: 'number', 'aria-hidden': 'true' }, String(now ?? old ?? '')),
    el('span', { class: 'sign' }, isCode ? signOf(kind) : ''),
    el('span', { class: 'code' }, isCode ? text.slice(1) : text),
  );
}

function signOf(kind: DiffLine['kind']): string {
  if (kind === 'added') return '+';
  return kind === 'removed' ? '−' : ' ';
}
