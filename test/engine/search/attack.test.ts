import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startAttacker } from '../../attackers/attacker.ts';
import { expectNoMoreHeld, heldBelow } from '../../descriptors.ts';
import { temporaryDirectory } from '../../tree.ts';
import { type Fixture, fixture, shown } from './search-fixture.ts';

const SECRET = 'content-from-outside';
const SECRET_NAME = 'name-from-outside';
const MILLISECONDS = 1200;

/** Directories, each next to a link to a directory outside that has the same names inside and some of its own. */
function layTraps(root: string, outside: string): [string, string][] {
  return Array.from({ length: 6 }, (_, i) => {
    const inside = join(root, `place-${i}`);
    const link = join(root, `trap-${i}`);
    const target = join(outside, `place-${i}`);
    for (const [base, text] of [
      [inside, 'harmless'],
      [target, SECRET],
    ] as const) {
      mkdirSync(join(base, 'below/deeper'), { recursive: true });
      for (const path of ['file.txt', 'below/file.txt', 'below/deeper/file.txt']) {
        writeFileSync(join(base, path), `${text} ABCD123456E\n`);
      }
    }
    writeFileSync(join(target, `${SECRET_NAME}.txt`), `${SECRET} ABCD123456E\n`);
    writeFileSync(join(target, 'below', `${SECRET_NAME}.txt`), `${SECRET} ABCD123456E\n`);
    symlinkSync(target, link);
    return [inside, link];
  });
}

/** Everything that one round of searches returns. */
async function everythingSaid(here: Fixture): Promise<string[]> {
  const said: string[] = [];
  const regexes = { literal: 'harmless|outside', classes: '[A-Z]{4}[0-9]{6}', ripgrep: '.', workers: '.' };
  for (const [plan, regex] of Object.entries(regexes)) {
    said.push(...shown(await here.grep({ regex, plan: plan as keyof typeof regexes, contextLines: 1 })));
  }
  await here.wall.at(here.root, {}, async (place) => {
    for (const listing of [
      await here.search.names(place, { contains: 'name' }),
      await here.search.glob(place, { globs: ['**/*.txt'] }),
      await here.search.walk(place, { facts: true, gitignore: true }),
    ]) {
      said.push(...listing.entries.map(({ path }) => path));
    }
  });
  return said;
}

describe('while directories are swapped with links that lead outside', () => {
  it('no search returns a name or a text from outside', async () => {
    const outside = temporaryDirectory();
    const here = await fixture({ 'steady.txt': 'harmless ABCD123456E\n' });
    const pairs = layTraps(here.root, outside.path);
    await everythingSaid(here);
    const before = heldBelow(here.root);
    const attacker = await startAttacker(pairs);
    const leaks = new Set<string>();
    let rounds = 0;
    let harmless = 0;
    try {
      for (const until = Date.now() + MILLISECONDS; Date.now() < until; rounds++) {
        for (const line of await everythingSaid(here)) {
          if (line.includes('outside')) leaks.add(line);
          if (line.includes('harmless')) harmless++;
        }
      }
    } finally {
      expect(await attacker.stop()).toBeGreaterThan(100);
      await expectNoMoreHeld(before, here.root);
      await here.close();
      outside.remove();
    }
    expect([...leaks]).toEqual([]);
    expect(rounds).toBeGreaterThan(0);
    expect(harmless).toBeGreaterThan(rounds);
  });
});
