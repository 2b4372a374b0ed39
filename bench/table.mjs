/** The rows of the benchmark, how they are judged, and the table that shows them. */
import { ratioOf } from './measure.mjs';

/**
 * A row that compares two timings. `budget` bounds the ratio with { atMost } or { atLeast }: the ratio of times by
 * default, or of rates when `rate` (how many things each timing did) is given.
 */
export function comparison({ what, ours, theirs, against, budget, note = '', rate }) {
  const times = ratioOf(ours, theirs);
  const ratio = rate ? { best: 1 / times.best, median: 1 / times.median } : times;
  const shown = rate
    ? (timing) => `${Math.round((rate * 1000) / timing.best)}/s`
    : (timing) => msText(timing.best);
  return {
    what,
    ours: shown(ours),
    against,
    theirs: shown(theirs),
    ratio: ratio.best,
    medianRatio: ratio.median,
    budget,
    within: isWithin(ratio.best, budget),
    note,
    samples: { ours: ours.samples, theirs: theirs.samples },
  };
}

/** A row with figures that are not times. `budget` bounds the ratio, or with `of: 'ours'` the figure itself. */
export function figure({ what, ours, theirs, unit, against = '', budget, note = '' }) {
  const ratio = theirs === undefined ? undefined : ours / theirs;
  const judged = budget?.of === 'ours' ? ours : ratio;
  const shown = (value) => (value === undefined ? '' : `${Number(value.toFixed(1))} ${unit}`);
  return {
    what,
    ours: shown(ours),
    against,
    theirs: shown(theirs),
    ratio,
    medianRatio: undefined,
    budget: budget && { ...budget, unit },
    within: judged === undefined ? undefined : isWithin(judged, budget),
    note,
  };
}

/** A row that says why there is nothing to show. */
export function absent(what, note, against = '') {
  return { what, ours: '', against, theirs: '', ratio: undefined, medianRatio: undefined, note };
}

function isWithin(value, budget) {
  if (!budget) return undefined;
  return budget.atMost === undefined ? value >= budget.atLeast : value <= budget.atMost;
}

export function markdown(rows) {
  const head = ['part', 'what', 'Cofferdam', 'against', 'theirs', 'ratio', 'median', 'budget', '', 'note'];
  const lines = rows.map((row) => [
    row.part,
    row.what,
    row.ours,
    row.against,
    row.theirs,
    ratioText(row.ratio),
    ratioText(row.medianRatio),
    budgetText(row.budget),
    row.within === undefined ? '' : row.within ? 'ok' : '**OVER**',
    row.note,
  ]);
  return grid(head, lines);
}

/** Writes a table that a part made itself: { title, head, lines }. */
export function plainTable({ title, head, lines }) {
  return `${title}\n\n${grid(head, lines)}`;
}

function grid(head, lines) {
  return [head, head.map(() => '---'), ...lines]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n');
}

export function msText(ms) {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${ms >= 100 ? Math.round(ms) : ms.toFixed(ms >= 10 ? 1 : 2)} ms`;
}

function ratioText(ratio) {
  if (ratio === undefined) return '';
  return `${ratio >= 100 ? Math.round(ratio) : ratio.toFixed(ratio < 0.1 ? 3 : 2)} ×`;
}

function budgetText(budget) {
  if (!budget) return '';
  const unit = budget.of === 'ours' ? budget.unit : '×';
  return budget.atMost === undefined ? `≥ ${budget.atLeast} ${unit}` : `≤ ${budget.atMost} ${unit}`;
}

function cell(text) {
  return String(text ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ');
}
