/** Four small charts over time: calls, errors, durations, tokens. Screen readers get the same numbers as text. */
import { type Bucket, type Timeline, timelineOf } from '../data/buckets.ts';
import type { Row } from '../data/event-store.ts';
import { compact, count, duration, plural, tick } from '../data/format.ts';
import { el, setText, svg } from './dom.ts';

interface Layer {
  name: string;
  value(bucket: Bucket): number;
}

interface ChartSpec {
  id: string;
  title: string;
  /** Later ones cover earlier ones. */
  layers: Layer[];
  sum(timeline: Timeline): string;
  tell(bucket: Bucket): string;
  most(value: number): string;
}

const total = (buckets: readonly Bucket[], of: (bucket: Bucket) => number) =>
  buckets.reduce((sum, bucket) => sum + of(bucket), 0);

const SPECS: ChartSpec[] = [
  {
    id: 'calls',
    title: 'Calls',
    layers: [{ name: 'calls', value: ({ calls }) => calls }],
    sum: ({ buckets }) => count(total(buckets, ({ calls }) => calls)),
    tell: ({ calls }) => plural(calls, 'call'),
    most: compact,
  },
  {
    id: 'errors',
    title: 'Errors',
    layers: [{ name: 'errors', value: ({ errors }) => errors }],
    sum: ({ buckets }) => {
      const [errors, calls] = [total(buckets, (one) => one.errors), total(buckets, (one) => one.calls)];
      return calls === 0 ? '0' : `${count(errors)} · ${((errors / calls) * 100).toFixed(1)} %`;
    },
    tell: ({ errors }) => plural(errors, 'error'),
    most: compact,
  },
  {
    id: 'durations',
    title: 'Duration',
    layers: [
      { name: 'high', value: ({ high }) => high },
      { name: 'median', value: ({ median }) => median },
    ],
    sum: ({ median, high }) => `${duration(median)} · ${duration(high)}`,
    tell: ({ median, high }) => `median ${duration(median)}, 95th ${duration(high)}`,
    most: duration,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    layers: [{ name: 'tokens', value: ({ tokens }) => tokens }],
    sum: ({ buckets }) => compact(total(buckets, ({ tokens }) => tokens)),
    tell: ({ tokens }) => `about ${plural(tokens, 'token')}`,
    most: compact,
  },
];

export class Charts {
  readonly #charts: Chart[];

  constructor(box: HTMLElement) {
    this.#charts = SPECS.map((spec) => new Chart(spec));
    box.replaceChildren(...this.#charts.map(({ element }) => element));
  }

  draw(rows: readonly Row[]): void {
    const timeline = timelineOf(rows);
    for (const chart of this.#charts) chart.draw(timeline);
  }
}

class Chart {
  readonly element: HTMLElement;
  readonly #spec: ChartSpec;
  readonly #sum = el('span', { class: 'sum' });
  readonly #most = el('span', { class: 'most' });
  readonly #foot = el('div', { class: 'foot' });
  readonly #title: SVGElement;
  readonly #description: SVGElement;
  readonly #bars = svg('g', { class: 'bars' });
  readonly #mark = svg('rect', { class: 'mark', y: 0, height: 100, width: 1, visibility: 'hidden' });
  readonly #picture: SVGElement;
  #timeline: Timeline = timelineOf([]);
  #at: number | undefined;

  constructor(spec: ChartSpec) {
    this.#spec = spec;
    const { id, title } = spec;
    this.#title = svg('title', { id: `${id}-title` }, title);
    this.#description = svg('desc', { id: `${id}-desc` });
    this.#picture = svg(
      'svg',
      {
        role: 'img',
        tabindex: 0,
        preserveAspectRatio: 'none',
        'aria-labelledby': `${id}-title ${id}-desc`,
      },
      this.#title,
      this.#description,
      this.#mark,
      this.#bars,
    );
    const caption = el('figcaption', {}, el('span', { class: 'title' }, title), this.#sum);
    const plot = el('div', { class: 'plot' }, this.#picture, this.#most);
    this.element = el('figure', { class: `chart chart-${id}` }, caption, plot, this.#foot);
    plot.addEventListener('pointermove', (event) => this.#point(event));
    plot.addEventListener('pointerleave', () => this.#markAt(undefined));
    this.#picture.addEventListener('keydown', (event) => this.#onKey(event));
    this.#picture.addEventListener('blur', () => this.#markAt(undefined));
  }

  draw(timeline: Timeline): void {
    this.#timeline = timeline;
    const { buckets } = timeline;
    const { layers, sum, most } = this.#spec;
    const highest = Math.max(0, ...buckets.flatMap((bucket) => layers.map(({ value }) => value(bucket))));
    const width = Math.max(buckets.length, 1);
    this.#picture.setAttribute('viewBox', `0 0 ${width} 100`);
    this.#bars.replaceChildren(
      ...layers.map(({ name, value }) =>
        svg('path', { class: name, d: highest === 0 ? '' : barsPath(buckets.map(value), highest) }),
      ),
    );
    setText(this.#sum, buckets.length === 0 ? '' : sum(timeline));
    setText(this.#most, highest === 0 ? '' : most(highest));
    setText(this.#description, this.#describe(highest));
    this.#markAt(this.#at);
  }

  #describe(highest: number): string {
    const { from, size, buckets } = this.#timeline;
    if (buckets.length === 0) return 'No calls.';
    const { sum, most } = this.#spec;
    const span = size * buckets.length;
    return `From ${tick(from, span)} to ${tick(from + span, span)}, in steps of ${duration(size)}. In all: ${sum(this.#timeline)}. Highest: ${most(highest)}.`;
  }

  #point(event: PointerEvent): void {
    const { left, width } = this.#picture.getBoundingClientRect();
    this.#markAt(Math.floor(((event.clientX - left) / width) * this.#timeline.buckets.length));
  }

  #onKey(event: KeyboardEvent): void {
    const last = this.#timeline.buckets.length - 1;
    const at = this.#at ?? last + 1;
    const goal = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (goal === undefined || last < 0) return;
    this.#markAt(Math.min(Math.max(goal, 0), last));
    event.preventDefault();
  }

  #markAt(at: number | undefined): void {
    const { from, size, buckets } = this.#timeline;
    const bucket = at === undefined ? undefined : buckets[at];
    this.#at = bucket ? at : undefined;
    this.#mark.setAttribute('visibility', bucket ? 'visible' : 'hidden');
    if (bucket) {
      this.#mark.setAttribute('x', String(at));
      this.#foot.replaceChildren(
        el('span', { role: 'status' }, `${tick(from + at! * size, 0)}: ${this.#spec.tell(bucket)}`),
      );
      return;
    }
    const span = size * buckets.length;
    const ends = buckets.length === 0 ? ['', ''] : [tick(from, span), tick(from + span, span)];
    this.#foot.replaceChildren(el('span', {}, ends[0]), el('span', {}, ends[1]));
  }
}

function barsPath(values: readonly number[], highest: number): string {
  let path = '';
  for (const [at, value] of values.entries()) {
    if (value === 0) continue;
    const height = Math.max((value / highest) * 100, 2);
    path += `M${at + 0.1} 100V${(100 - height).toFixed(1)}h.8V100z`;
  }
  return path;
}
