/** The charts above the list: all of them cover the same time span and the shown calls. */
import { timelineOf } from '../../data/buckets.ts';
import type { EventRow } from '../../data/event-store.ts';
import { Chart, type RangePicked } from './chart.ts';
import { CHARTS } from './chart-specs.ts';

export class Charts {
  readonly #charts: Chart[];

  constructor(box: HTMLElement, onRange: RangePicked) {
    this.#charts = CHARTS.map((spec) => new Chart(spec, onRange));
    box.replaceChildren(...this.#charts.map(({ element }) => element));
  }

  draw(rows: readonly EventRow[]): void {
    const timeline = timelineOf(rows);
    for (const chart of this.#charts) chart.draw(timeline);
  }
}
