/** A server that is killed with signal 9 at any moment leaves every file whole. */
import { expect, it } from 'vitest';
import { kills, report } from '../../attackers/campaign.ts';
import { killDuringWrites } from '../../attackers/kills.ts';
import { temporaryDirectory } from '../../tree.ts';

it(
  `${kills} kills in the middle of writes: no file torn, no acknowledged write lost, no litter`,
  async () => {
    const directory = temporaryDirectory();
    try {
      const wreckage = await killDuringWrites(directory.path, kills);
      const { torn, lost, ...counts } = wreckage;
      report({ operation: 'kill -9', ...counts, torn: torn.length, lost: lost.length });
      expect(wreckage).toEqual({
        kills: wreckage.kills,
        midway: wreckage.midway,
        acknowledged: wreckage.acknowledged,
        torn: [],
        lost: [],
        modeLost: 0,
        litter: 0,
      });
      // The kills were effective: some hit in the middle of a write, some after one was acknowledged.
      expect(wreckage.midway).toBeGreaterThan(0);
      expect(wreckage.acknowledged).toBeGreaterThan(0);
    } finally {
      directory.remove();
    }
  },
  300_000 + kills * 2000,
);
