/** What the charts show. */
import type { Bucket, Timeline } from '../../data/buckets.ts';
import { compact, count, duration, plural } from '../../data/format.ts';

/** One row of bars; `name` is its class, `label` what the legend says. */
interface Layer {
  name: string;
  /** Missing where the bars count what came within one step. */
  label?: string;
  value(bucket: Bucket): number;
}

export interface ChartSpec {
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

export const CHARTS: ChartSpec[] = [
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
      { name: 'high', label: '95th', value: ({ high }) => high },
      { name: 'median', label: 'median', value: ({ median }) => median },
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
