/** One chart over time. Screen readers get the same numbers as text, and the keyboard can do what the pointer does. */
import { type Timeline, timelineOf } from '../../data/buckets.ts';
import { step, tick } from '../../data/format.ts';
import { el, setText, svg } from '../elements/dom.ts';
import type { ChartSpec } from './chart-specs.ts';

/** In pixels. A shorter drag counts as a click. */
const SHORTEST_DRAG = 6;

/** Called with a time range; `from` is included, `to` is not. */
export type RangePicked = (from: number, to: number) => void;

export class Chart {
  readonly element: HTMLElement;
  readonly #spec: ChartSpec;
  readonly #onRange: RangePicked;
  readonly #sum = el('span', { class: 'sum' });
  readonly #steps = el('span');
  readonly #most = el('span', { class: 'most' });
  readonly #foot = el('div', { class: 'foot' });
  readonly #title: SVGElement;
  readonly #description: SVGElement;
  readonly #bars = svg('g', { class: 'bars' });
  readonly #mark = svg('rect', { class: 'mark', y: 0, height: 100, visibility: 'hidden' });
  readonly #picture: SVGElement;
  readonly #scale: HTMLElement;
  #timeline: Timeline = timelineOf([]);
  /** The marked step, and the step at which the marked range begins. */
  #at: number | undefined;
  #anchor: number | undefined;
  #draggedFrom: number | undefined;

  constructor(spec: ChartSpec, onRange: RangePicked) {
    this.#spec = spec;
    this.#onRange = onRange;
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
    this.#scale = el('div', { class: 'scale' }, this.#legend(), this.#most);
    const plot = el('div', { class: 'plot' }, this.#picture, this.#scale);
    this.element = el('figure', { class: `chart chart-${id}` }, caption, plot, this.#foot);
    plot.addEventListener('pointerdown', (event) => this.#press(event));
    plot.addEventListener('pointermove', (event) => this.#point(event));
    plot.addEventListener('pointerup', (event) => this.#release(event));
    plot.addEventListener('pointercancel', () => this.#letGo());
    plot.addEventListener('pointerleave', () => this.#draggedFrom === undefined && this.#letGo());
    this.#picture.addEventListener('keydown', (event) => this.#onKey(event));
    this.#picture.addEventListener('blur', () => this.#letGo());
  }

  draw(timeline: Timeline): void {
    this.#timeline = timeline;
    const { buckets, size } = timeline;
    const { layers, sum, format } = this.#spec;
    const highest = Math.max(0, ...buckets.flatMap((bucket) => layers.map(({ value }) => value(bucket))));
    const width = Math.max(buckets.length, 1);
    this.#scale.hidden = buckets.length === 0;
    this.#picture.setAttribute('viewBox', `0 0 ${width} 100`);
    this.#bars.replaceChildren(
      ...layers.map(({ name, value }) =>
        svg('path', { class: name, d: highest === 0 ? '' : barsPath(buckets.map(value), highest) }),
      ),
    );
    setText(this.#sum, buckets.length === 0 ? '' : sum(timeline));
    setText(this.#steps, buckets.length === 0 ? '' : `per ${step(size)}`);
    setText(this.#most, highest === 0 ? '' : `max ${format(highest)}`);
    setText(this.#description, this.#describe(highest));
    this.#markAt(this.#at);
  }

  /** The colours, and the length of a step, which grows with the time span. */
  #legend(): HTMLElement {
    const keys = this.#spec.layers.map(({ name, label }) =>
      el('span', { class: `key ${name}` }, label ?? this.#steps),
    );
    return el('span', { class: 'legend' }, ...keys.reverse());
  }

  #describe(highest: number): string {
    const { from, size, buckets } = this.#timeline;
    if (buckets.length === 0) return 'No calls.';
    const { sum, format } = this.#spec;
    const span = size * buckets.length;
    return `From ${tick(from, span)} to ${tick(from + span, span)}, in steps of ${step(size)}. In all: ${sum(this.#timeline)}. Highest: ${format(highest)}. Use the arrow keys to read the steps; hold Shift to select a time range, and press Enter to show only that.`;
  }

  #stepUnder({ clientX }: PointerEvent): number {
    const { left, width } = this.#picture.getBoundingClientRect();
    const { length } = this.#timeline.buckets;
    return Math.min(Math.max(Math.floor(((clientX - left) / width) * length), 0), length - 1);
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || this.#timeline.buckets.length === 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    this.#draggedFrom = event.clientX;
    this.#anchor = this.#stepUnder(event);
    this.#markAt(this.#anchor);
  }

  #point(event: PointerEvent): void {
    if (this.#draggedFrom === undefined) this.#anchor = undefined;
    this.#markAt(this.#stepUnder(event));
  }

  #release(event: PointerEvent): void {
    const distance = Math.abs(event.clientX - (this.#draggedFrom ?? event.clientX));
    if (distance >= SHORTEST_DRAG) this.#pick();
    this.#draggedFrom = undefined;
    this.#anchor = undefined;
    this.#markAt(this.#at);
  }

  #letGo(): void {
    this.#draggedFrom = undefined;
    this.#anchor = undefined;
    this.#markAt(undefined);
  }

  #pick(): void {
    const { from, size } = this.#timeline;
    if (this.#at === undefined) return;
    const [first, last] = this.#ends(this.#at);
    this.#onRange(from + first * size, from + (last + 1) * size);
  }

  #ends(at: number): [number, number] {
    const anchor = this.#anchor ?? at;
    return [Math.min(anchor, at), Math.max(anchor, at)];
  }

  #onKey(event: KeyboardEvent): void {
    const last = this.#timeline.buckets.length - 1;
    if (event.key === 'Enter') this.#pick();
    const at = this.#at ?? last + 1;
    const goal = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (goal === undefined || last < 0) return;
    this.#anchor = event.shiftKey ? (this.#anchor ?? this.#at ?? last) : undefined;
    this.#markAt(Math.min(Math.max(goal, 0), last));
    event.preventDefault();
  }

  #markAt(at: number | undefined): void {
    const { from, size, buckets } = this.#timeline;
    const bucket = at === undefined ? undefined : buckets[at];
    this.#at = bucket ? at : undefined;
    this.#mark.setAttribute('visibility', bucket ? 'visible' : 'hidden');
    const span = size * buckets.length;
    if (!bucket) {
      const ends = buckets.length === 0 ? ['', ''] : [tick(from, span), tick(from + span, span)];
      this.#foot.replaceChildren(el('span', {}, ends[0]), el('span', {}, ends[1]));
      return;
    }
    const [first, last] = this.#ends(at!);
    this.#mark.setAttribute('x', String(first));
    this.#mark.setAttribute('width', String(last - first + 1));
    const isRange = this.#anchor !== undefined && first !== last;
    const text = isRange
      ? `${tick(from + first * size, 0)} – ${tick(from + (last + 1) * size, 0)}`
      : `${tick(from + at! * size, 0)}: ${this.#spec.describe(bucket)}`;
    this.#foot.replaceChildren(el('span', { role: 'status' }, text));
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
