/** What closing a state guarantees (see src/state/state.ts). */
import { expect, test } from 'vitest';
import type { StateFactory } from './factory.ts';
import { until } from './factory.ts';

const options = { accept: (value: unknown) => value as { n: number } };

export function closingContract(create: StateFactory): void {
  test('a closed state stops following, and other processes still read what it flushed', async () => {
    const under = create();
    const [one, two] = [under.open(), under.open()];
    try {
      const heard: number[] = [];
      const alsoHeard: number[] = [];
      const note = (list: number[]) => ({
        onRecords: (records: { n: number }[]) => void list.push(...records.map(({ n }) => n)),
        onProblem: () => {},
      });
      const log = one.log('journal', options);
      log.append({ n: 1 });
      await log.flush();
      log.follow(note(heard));
      await one.close();
      const later = two.log('journal', options);
      later.follow(note(alsoHeard));
      later.append({ n: 2 });
      await later.flush();
      await until(() => alsoHeard.includes(2));
      expect(heard).not.toContain(2);
      const read: number[] = [];
      await later.reader({ take: ({ n }) => read.push(n), restart: () => read.splice(0) }).catchUp();
      expect(read).toEqual([1, 2]);
    } finally {
      await two.close();
      await under.remove();
    }
  });
}
