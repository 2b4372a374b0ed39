/** Undoing many entries of a fleet reads the history once, however many entries there are. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { undo } from '../../src/cli/history/history.ts';
import { Engine, History } from '../../src/engine/index.ts';
import { Fleet } from '../../src/state/postgres/open.ts';
import { openRecorder } from '../../src/trace/open.ts';
import { soak } from '../soak.ts';
import { type Cluster, postgresPrograms, startCluster } from '../state/postgres/cluster.ts';
import { temporaryDirectory } from '../tree.ts';

const FEW = soak(12, 60);
const MANY = 2 * FEW;

describe.skipIf(postgresPrograms() === undefined)('undo of all entries of a fleet', () => {
  let cluster: Cluster;
  let scratch: { path: string; remove(): void };

  beforeAll(async () => {
    cluster = await startCluster();
    scratch = temporaryDirectory();
  });
  afterAll(async () => {
    scratch.remove();
    await cluster.remove();
  });

  test('reads the log in proportion to the number of entries, not to its square', async () => {
    const few = await undoingAll(FEW);
    const many = await undoingAll(MANY);
    // Each undo adds some lines, and each reader reads every line once.
    expect(few.statements).toBeGreaterThan(FEW);
    expect(many.statements / few.statements).toBeLessThan(2.5);
    expect(many.lines / few.lines).toBeLessThan(2.5);
    expect(many.lines).toBeLessThan(MANY * 10);
  });

  /** How many statements read the journal, and how many of its lines they returned. */
  async function undoingAll(entries: number): Promise<{ statements: number; lines: number }> {
    const root = join(scratch.path, `of-${entries}`);
    mkdirSync(root);
    writeFileSync(join(root, 'a.txt'), 'first\n');
    const fleet = new Fleet(cluster.address(`undo_${entries}`), [{ name: 'w', real: root }]);
    const source = () => fleet.openState();
    const engine = new Engine({ roots: [{ path: root, writable: true }], journal: source });
    for (let n = 0; n < entries; n++) await engine.files.writeText('a.txt', `text ${n}\n`);
    await engine.close();
    const counted = { statements: 0, lines: 0 };
    const { database } = fleet;
    const query = database.query.bind(database);
    database.query = async (text, values, options) => {
      const rows = await query(text, values, options);
      if (values?.[0] !== 'journal' || !/^\s*SELECT/.test(text)) return rows;
      counted.statements++;
      counted.lines += rows.filter(({ seq }) => seq).length;
      return rows;
    };
    const recorder = openRecorder({ ...SURROUNDINGS, source, roots: [], contents: false });
    const history = new History(source);
    const { failed, problem } = await history.keepOpen(() =>
      undo(history, recorder, { since: 0, force: false, dryRun: false }),
    );
    await recorder.close();
    await fleet.close();
    expect({ failed, problem }).toEqual({ failed: false });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('first\n');
    return counted;
  }
});

const SURROUNDINGS = { version: 'test', environment: {}, log: () => {} };
