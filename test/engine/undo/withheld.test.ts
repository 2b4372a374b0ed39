import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  anonymous,
  Engine,
  type EngineOptions,
  History,
  type PathAccess,
} from '../../../src/engine/index.ts';
import { layOut, temporaryDirectory } from '../../tree.ts';

const OLD = 'the old secret';
const NEW = 'the new secret';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
let journal: string;
const engines: Engine[] = [];

function open(options: Partial<EngineOptions> = {}): Engine {
  const engine = new Engine({ roots: [{ path: root, writable: true }], journal, ...options });
  engines.push(engine);
  return engine;
}

/** Changes files that the owner will withhold from the next start on, one entry each. Returns the ids by name. */
async function changesBefore(): Promise<Record<string, string>> {
  const engine = open();
  const ids: Record<string, string> = {};
  const call = async (name: string, work: (own: Engine) => Promise<unknown>) => {
    let id = '';
    const own = engine.as({ ...anonymous, touched: () => {}, entered: (entry) => (id = entry) });
    await work(own);
    ids[name] = id;
  };
  await call('changed', ({ files }) => files.write('.env', NEW));
  await call('created', ({ files }) => files.write('made/.env', NEW));
  await call('moved', ({ files }) => files.move('keys/.env', 'keys/open.txt'));
  await call('removed', ({ files }) => files.remove('gone/.env'));
  await call('hidden', ({ files }) => files.write('plan.md', NEW));
  await call('both', ({ files }) =>
    files.writeAll([
      { path: 'a.txt', content: 'a2' },
      { path: 'plan.md', content: OLD },
    ]),
  );
  await call('free', ({ files }) => files.write('a.txt', 'a3'));
  await engine.close();
  engines.length = 0;
  return ids;
}

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
  journal = join(temporary.path, 'state');
  layOut(root, { '.env': OLD, 'keys/.env': OLD, 'gone/.env': OLD, 'plan.md': OLD, 'a.txt': 'a1' });
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  temporary.remove();
});

const RULES = { deny: ['.env'], hide: ['plan.md'] };

describe('the history of files that were withheld later', () => {
  it('shows no content of denied files in diffs, plans and obstacles', async () => {
    const ids = await changesBefore();
    const engine = open(RULES);
    for (const name of ['changed', 'created', 'moved', 'removed']) {
      const id = ids[name]!;
      const diffs = await engine.history.diff(id);
      expect(diffs.at(-1)).toMatchObject({ text: '', note: 'the owner of this server denied it (--deny)' });
      const plan = await engine.history.plan(id);
      expect(plan).toMatchObject({ steps: [], diffs: [], obstacles: [{ forceable: false }] });
      expect(JSON.stringify([diffs, plan])).not.toContain('secret');
    }
    expect((await engine.history.diff(ids.free!))[0]!.text).toContain('+a3');
  });

  it('does not undo changes of withheld files, not even by force', async () => {
    const ids = await changesBefore();
    const engine = open(RULES);
    for (const name of ['changed', 'created', 'moved', 'removed', 'hidden', 'both']) {
      const outcome = await engine.history.undo(ids[name]!, { force: true });
      if (name === 'hidden') expect(outcome).toBeUndefined();
      else expect(outcome).toMatchObject({ done: false, obstacles: [{ forceable: false }] });
    }
    expect(readFileSync(join(root, '.env'), 'utf8')).toBe(NEW);
    expect(readFileSync(join(root, 'made/.env'), 'utf8')).toBe(NEW);
    expect(existsSync(join(root, 'keys/.env'))).toBe(false);
    expect(existsSync(join(root, 'gone/.env'))).toBe(false);
    expect(readFileSync(join(root, 'plan.md'), 'utf8')).toBe(OLD);
    expect(await engine.history.undo(ids.free!)).toMatchObject({ done: true });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a2');
  });

  it('does not reveal hidden files, by name or otherwise', async () => {
    const ids = await changesBefore();
    const engine = open(RULES);
    expect(await engine.history.entry(ids.hidden!)).toBeUndefined();
    expect((await engine.history.entries()).map(({ id }) => id)).not.toContain(ids.hidden);
    expect(await engine.history.entries({ limit: 6 })).toHaveLength(6);
    const told = [
      await engine.history.entries(),
      await engine.history.entry(ids.both!),
      await engine.history.diff(ids.both!),
      await engine.history.plan(ids.both!),
      await engine.history.undo(ids.both!),
    ];
    expect(JSON.stringify(told)).not.toContain('plan.md');
    expect(JSON.stringify(told)).toContain('it holds entries that this server does not serve');
  });

  it('follows the same rules when it is read without an engine, and shows the owner everything', async () => {
    const ids = await changesBefore();
    writeFileSync(join(root, '.cofferdamignore'), 'plan.md\n');
    const ruled = new History(journal, { deny: ['.env'] });
    expect(await ruled.entry(ids.hidden!)).toBeUndefined();
    expect(JSON.stringify(await ruled.diff(ids.changed!))).not.toContain('secret');
    expect(JSON.stringify(await ruled.plan(ids.changed!))).not.toContain('secret');
    expect(await ruled.undo(ids.changed!, { force: true })).toMatchObject({ done: false });
    const owner = new History(journal);
    expect(JSON.stringify(await owner.diff(ids.changed!))).toContain(NEW);
    expect(JSON.stringify(await owner.diff(ids.hidden!))).toContain(NEW);
    expect(await owner.undo(ids.changed!)).toMatchObject({ done: true });
    expect(readFileSync(join(root, '.env'), 'utf8')).toBe(OLD);
    rmSync(root, { recursive: true });
    expect(JSON.stringify(await ruled.diff(ids.changed!))).not.toContain('secret');
    expect(JSON.stringify(await owner.diff(ids.free!))).toContain('+a3');
  });
});

describe('the trace of a call on withheld files', () => {
  it('says that they were refused', async () => {
    const engine = open(RULES);
    const touched: PathAccess[] = [];
    const own = engine.as({ ...anonymous, touched: (access) => touched.push(access) });
    await Promise.allSettled([
      own.files.read('.env'),
      own.files.read('plan.md'),
      own.files.write('plan.md', 'x'),
      own.files.read('missing.txt'),
      own.files.remove('keys', { recursive: true }),
    ]);
    const hows = touched.map(({ path, how }) => `${path.slice(root.length + 1)} ${how}`);
    expect(hows.filter((each) => each.endsWith('refused')).sort()).toEqual([
      '.env refused',
      'keys refused',
      'plan.md refused',
      'plan.md refused',
    ]);
  });
});
