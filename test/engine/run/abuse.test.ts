import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineFailure } from '../../../src/engine/failures.ts';
import type { Commands } from '../../../src/engine/run/commands.ts';
import { checkArgv } from '../../../src/engine/run/policy/check.ts';
import { pathsThroughWall } from '../../../src/engine/run/policy/path-arguments.ts';
import { readingCommands } from '../../../src/engine/run/policy/reading-commands.ts';
import { soak } from '../../soak.ts';
import type { RunFixture } from './run-fixture.ts';
import { makeRunFixture, NO_SANDBOX, SECRET, snapshot } from './run-fixture.ts';

interface Row {
  command: string;
  args: string[];
  effect: string;
  expect: 'deny' | 'contain' | 'inert' | 'allow';
}

const table = (name: string): Row[] => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const agreed = table('abuse.json');
const more = table('abuse-more.json');
const rows = [...agreed, ...more];
const REFUSALS = ['outside', 'argument-not-allowed', 'command-not-allowed'];

/** When a row that runs forever is cut off. */
const CUT_OFF_MS = 400;
/** When a row that ends by itself is cut off: late enough for a busy machine. */
const IN_TIME_MS = 120_000;

let place: RunFixture;
let unconfined: Commands;
let sandboxed: Commands | undefined;
let before: { root: string; out: string };

beforeAll(async () => {
  place = makeRunFixture();
  process.env.LEAKME_VAR = 'LEAKED-from-the-server';
  unconfined = await place.open({ sandbox: 'off' });
  const boxed = await place.open({ sandbox: 'auto' });
  sandboxed = boxed.sandboxed ? boxed : undefined;
  before = { root: snapshot(place.root), out: snapshot(place.out) };
});

afterAll(() => {
  delete process.env.LEAKME_VAR;
  place.close();
});

const filled = (row: Row) =>
  row.args.map((arg) => arg.replaceAll('{ROOT}', place.root).replaceAll('{OUT}', place.out));
const title = (row: Row) => JSON.stringify([row.command, ...row.args]).slice(0, 100);

function refusalOf(row: Row): string | undefined {
  try {
    checkArgv(row.command, filled(row), {
      policies: readingCommands,
      resolvePath: pathsThroughWall(place.wall, place.root),
      isGnu: () => true,
    });
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof EngineFailure)) throw thrown;
    return thrown.facts.kind;
  }
}

describe('what is refused before anything is started', () => {
  for (const row of rows.filter((one) => one.expect === 'deny')) {
    it(`${title(row)}: ${row.effect}`, () => {
      expect(REFUSALS).toContain(refusalOf(row));
    });
  }
});

describe('what is allowed to start', () => {
  for (const row of rows.filter((one) => one.expect !== 'deny')) {
    it(`${title(row)}: ${row.effect}`, () => {
      expect(refusalOf(row)).toBeUndefined();
    });
  }
});

for (const kind of ['without a sandbox', 'in bubblewrap'] as const) {
  describe(`what starts, ${kind}`, () => {
    // test/commands/abuse.test.ts and contained.test.ts start the rows of the agreed table, through the whole program.
    const startable = soak(more, rows).filter((one) => one.expect !== 'deny');
    const chosen = () => (kind === 'in bubblewrap' ? sandboxed : unconfined);
    for (const row of startable) {
      it.concurrent(`${title(row)}: ${row.expect}`, async ({ skip }) => {
        const commands = chosen();
        if (!commands) return skip(NO_SANDBOX);
        const result = await commands.runReadingCommand(row.command, filled(row), {
          timeoutMs: row.expect === 'contain' ? CUT_OFF_MS : IN_TIME_MS,
        });
        const printed = result.stdout + result.stderr;
        expect(printed).not.toContain(SECRET);
        expect(printed).not.toContain('LEAKED-from-the-server');
        expect(Buffer.byteLength(result.stdout)).toBeLessThanOrEqual(1024 * 1024);
        if (row.effect.includes('memory bomb')) expect(result.exitCode === 0).toBe(false);
        if (row.expect === 'allow') {
          expect(result.stderr).toBe('');
          expect(result.timedOut).toBe(false);
          expect([0, 1]).toContain(result.exitCode);
          expect(result.stdout !== '' || SILENT.has(title(row))).toBe(true);
        }
      });
    }

    it('leaves every file inside and outside as it was', () => {
      expect(existsSync(join(place.out, 'pwned'))).toBe(false);
      expect(snapshot(place.root)).toBe(before.root);
      expect(snapshot(place.out)).toBe(before.out);
    });
  });
}

/** Allowed rows that are right to print nothing. */
const SILENT = new Set(
  [
    ['cat', '-'],
    ['tr', '-d', '/etc'],
    ['diff', '-r', '--no-dereference', 'sub', 'sub2'],
    ['find', '.', '-path', '*/../*', '-prune'],
  ].map((words) => JSON.stringify(words).slice(0, 100)),
);
