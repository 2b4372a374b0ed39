/** Defines what each chart shows. */
import type { Bucket, Timeline } from '../../data/buckets.ts';
import { compact, count, duration, plural } from '../../data/format.ts';

/** One set of bars; `name` is its class. */
interface Layer {
  name: string;
  /** The text in the legend. Default: the length of one step. */
  label?: string;
  value(bucket: Bucket): number;
}

export interface ChartSpec {
  id: string;
  title: string;
  /** Later layers cover earlier ones. */
  layers: Layer[];
  sum(timeline: Timeline): string;
  describe(bucket: Bucket): string;
  format(value: number): string;
}

const total = (buckets: readonly Bucket[], of: (bucket: Bucket) => number) =>
  buckets.reduce((sum, bucket) => sum + of(bucket), 0);

export const CHARTS: ChartSpec[] = [
  {
    id: 'calls',
    title: 'Calls',
    layers: [{ name: 'calls', value: ({ calls }) => calls }],
    sum: ({ buckets }) => count(total(buckets, ({ calls }) => calls)),
    describe: ({ calls }) => plural(calls, 'call'),
    format: compact,
  },
  {
    id: 'errors',
    title: 'Errors',
    layers: [{ name: 'errors', value: ({ errors }) => errors }],
    sum: ({ buckets }) => {
      const [errors, calls] = [total(buckets, (one) => one.errors), total(buckets, (one) => one.calls)];
      return calls === 0 ? '0' : `${count(errors)} · ${((errors / calls) * 100).toFixed(1)} %`;
    },
    describe: ({ errors }) => plural(errors, 'error'),
    format: compact,
  },
  {
    id: 'durations',
    title: 'Duration',
    layers: [
      { name: 'high', label: '95th', value: ({ high }) => high },
      { name: 'median', label: 'median', value: ({ median }) => median },
    ],
    sum: ({ median, high }) => `${duration(median)} · ${duration(high)}`,
    describe: ({ median, high }) => `median ${duration(median)}, 95th ${duration(high)}`,
    format: duration,
  },
  {
    id: 'tokens',
    title: 'Tokens',
    layers: [{ name: 'tokens', value: ({ tokens }) => tokens }],
    sum: ({ buckets }) => compact(total(buckets, ({ tokens }) => tokens)),
    describe: ({ tokens }) => `about ${plural(tokens, 'token')}`,
    format: compact,
  },
];
