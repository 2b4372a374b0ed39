/**
 * The wall under attack: nothing escapes while another process swaps directories and files for links to the outside.
 */
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine, fail } from '../../../src/engine/index.ts';
import { report, seconds } from '../../attackers/campaign.ts';
import { layScene, type Raid, raid, raids, type Scene } from '../../attackers/raid.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';

const msForEach = (seconds * 1000) / raids.length;

/** What most servers do: check where the path leads, and then open the path. The attack must win against this. */
const lookThenOpen: Raid = {
  name: 'look, then open',
  call: async (_engine, n, { root }) => {
    const path = join(root, n % 2 === 0 ? 'd/file.txt' : 'leaf.txt');
    try {
      if (realpathSync.native(path).startsWith(`${root}/`)) return readFileSync(path, 'utf8');
    } catch {
      // The name was free for a moment.
    }
    return fail({ kind: 'outside', path });
  },
};

describe.runIf(process.platform === 'linux')('while an attacker swaps what a path leads through', () => {
  let scene: Scene;
  let engine: Engine;
  beforeEach(async () => {
    scene = layScene();
    engine = new Engine({ roots: [{ path: scene.root, writable: true }] });
    // At its first change, a process opens the directories of its own program and keeps them open.
    await engine.files.check('.', 'write');
  });
  afterEach(async () => {
    await engine.close();
    scene.close();
  });

  it('the wall is the race-free one', () => {
    expect(engine.protection).toMatchObject({ kind: 'descriptors', raceFree: true });
  });

  it('a server that checks a path and then opens it loses to the attack', async () => {
    let escapes = 0;
    // On a busy machine the attacker may need several attempts.
    for (let attempt = 0; attempt < 20 && escapes === 0; attempt++) {
      const { spoils } = await raid(scene, engine, lookThenOpen, msForEach / 2);
      expect(spoils.swaps).toBeGreaterThan(100);
      ({ escapes } = spoils);
    }
    expect(escapes).toBeGreaterThan(0);
  });

  it.each(raids.map((each) => [each.name, each] as const))(
    '%s never leaves the root, and works when it gets a chance',
    async (_, each) => {
      const before = heldBelow(scene.root);
      const { spoils, left } = await raid(scene, engine, each, msForEach);
      report({ ...spoils });
      expect(spoils.escapes).toBe(0);
      expect(spoils.succeeded).toBeGreaterThan(0);
      expect(spoils.swaps).toBeGreaterThan(100);
      if (each.leaves !== undefined) expect(left).toBe(spoils.succeeded);
      await expectNoMoreHeld(before, scene.root);
    },
    300_000 + msForEach * 4,
  );

  it(
    'the fallback wall promises less, but fails only with failures of the engine',
    async () => {
      const fallback = new Engine({ roots: [{ path: scene.root, writable: true }], protection: 'verified' });
      try {
        expect(fallback.protection.raceFree).toBe(false);
        // An error that is not a failure of the engine ends the raid.
        for (const each of raids) await raid(scene, fallback, each, msForEach / 8);
      } finally {
        await fallback.close();
      }
    },
    300_000 + seconds * 1000,
  );
});
