/** What all notes guarantee (see src/state/state.ts). */
import { expect, test } from 'vitest';
import type { StateFactory } from './factory.ts';

export function notesContract(create: StateFactory): void {
  test('a note is the last text that any process wrote, with its time', async () => {
    const under = create();
    try {
      const [one, two] = [under.open().notes, under.open().notes];
      expect(await one.read('tidied')).toBeUndefined();
      await one.write('tidied', 'first');
      await two.write('tidied', 'second');
      const note = await one.read('tidied');
      expect(note?.text).toBe('second');
      expect(Math.abs(Date.now() - note!.at)).toBeLessThan(60_000);
      expect(await two.read('other')).toBeUndefined();
    } finally {
      await under.remove();
    }
  });
}
