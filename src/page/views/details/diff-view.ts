/** Shows diffs in colour, with line numbers; the rest of a long diff opens on request. */
import { changedCounts, type DiffLine, diffLines, isCode, withoutCommonEnds } from '../../data/diff-lines.ts';
import { shortPath } from '../../data/paths.ts';
import type { PageDiff } from '../../wire.ts';
import { button, el } from '../elements/dom.ts';
import { pathView } from '../elements/path-view.ts';
import { visibleLines } from '../elements/visible-text.ts';

const SHOWN_AT_FIRST = 600;

/** The diff of one file: its name, how much changed, and the lines. */
export function diffView({ path, to, kind, text, note }: PageDiff, roots: readonly string[]): HTMLElement {
  const lines = diffLines(text);
  const { added, removed } = changedCounts(lines);
  const counts = el('span', { class: 'counts' });
  if (added > 0) counts.append(el('span', { class: 'plus' }, `+${added}`));
  if (removed > 0) counts.append(el('span', { class: 'minus' }, `−${removed}`));
  const head = el(
    'div',
    { class: 'diff-head' },
    el('span', { class: 'kind' }, kind),
    pathView(roots, path),
    ...(to === undefined ? [] : ['→', pathView(roots, to)]),
    counts,
  );
  const box = el('div', { class: 'diff-file' }, head);
  const remark = note ?? (lines.length === 0 && to === undefined ? 'no lines to compare' : '');
  if (lines.length > 0) box.append(linesView(lines, `Diff of ${shortPath(roots, path)}`));
  if (remark) (lines.length > 0 ? box : head).append(el('p', { class: 'note' }, remark));
  return box;
}

export function plainDiff(text: string, label: string): HTMLElement {
  return linesView(diffLines(text), label);
}

function linesView(lines: readonly DiffLine[], label: string): HTMLElement {
  const list = el('div', { class: 'diff', role: 'group', 'aria-label': label, tabindex: 0 });
  // The heading above names the file.
  const shown = withoutCommonEnds(lines.filter(({ kind }) => kind !== 'head'));
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
  const hasSign = isCode(kind);
  return el(
    'div',
    { class: `line ${kind}` },
    el('span', { class: 'number', 'aria-hidden': 'true' }, String(now ?? old ?? '')),
    el('span', { class: 'sign' }, hasSign ? signOf(kind) : ''),
    el('span', { class: 'code' }, ...visibleLines(hasSign ? text.slice(1) : text)),
  );
}

function signOf(kind: DiffLine['kind']): string {
  if (kind === 'added') return '+';
  return kind === 'removed' ? '−' : ' ';
}
