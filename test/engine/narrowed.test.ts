/** An engine for what is both in the given directories and in those that a client names. */
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine, EngineFailure } from '../../src/engine/index.ts';
import { expectNoMoreHeld, heldBelow } from '../descriptors.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { until } from '../until.ts';

let temporary: ReturnType<typeof temporaryDirectory>;
let base: string;
const engines: Engine[] = [];

beforeEach(() => {
  temporary = temporaryDirectory();
  base = temporary.path;
  layOut(base, {
    'one/app/a.txt': 'a',
    'one/other/b.txt': 'b',
    'two/c.txt': 'c',
    'outside/d.txt': 'd',
  });
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  temporary.remove();
});

function open(protection: 'strongest' | 'verified' = 'strongest'): Engine {
  const engine = new Engine({
    roots: [
      { path: join(base, 'one'), writable: true },
      { path: join(base, 'two'), writable: false },
    ],
    protection,
  });
  engines.push(engine);
  return engine;
}

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof EngineFailure ? error.facts.kind : String(error);
}

describe.each(['strongest', 'verified'] as const)('a narrowed engine (%s)', (protection) => {
  it('serves a directory inside, and nothing else', async () => {
    const inner = (await open(protection).narrowed([join(base, 'one/app')]))!;
    expect(inner.roots).toEqual([
      { path: join(base, 'one/app'), real: join(base, 'one/app'), writable: true },
    ]);
    expect((await inner.files.read('a.txt')).text).toBe('a');
    for (const path of ['../other/b.txt', join(base, 'two/c.txt'), join(base, 'outside/d.txt')])
      expect(await failureOf(inner.files.read(path))).toBe('outside');
  });

  it('serves the given directories that are below a named one, each under its own rule', async () => {
    const inner = (await open(protection).narrowed([base]))!;
    expect(inner.roots.map(({ path, writable }) => [path, writable])).toEqual([
      [join(base, 'one'), true],
      [join(base, 'two'), false],
    ]);
    expect(await failureOf(inner.files.read(join(base, 'outside/d.txt')))).toBe('outside');
    expect(await failureOf(inner.files.write(join(base, 'two/c.txt'), 'x'))).toBe('read-only');
  });

  it('does not exist if the directories have nothing in common', async () => {
    const engine = open(protection);
    for (const path of [join(base, 'outside'), join(base, 'missing'), join(base, 'one/app/a.txt'), '/etc'])
      expect(await engine.narrowed([path])).toBeUndefined();
    expect(await engine.narrowed([])).toBeUndefined();
  });

  it('serves those of several directories that are in both, each once', async () => {
    const paths = ['outside', 'two', 'one/app', 'one/app', 'one/app/../app'].map((path) => join(base, path));
    const inner = (await open(protection).narrowed(paths))!;
    expect(inner.roots.map(({ path }) => path)).toEqual([join(base, 'two'), join(base, 'one/app')]);
  });

  it('follows no link out of its directory, and is not made for a link that leads out of the given ones', async () => {
    symlinkSync(join(base, 'outside'), join(base, 'one/app/out'));
    symlinkSync('../other', join(base, 'one/app/sideways'));
    symlinkSync(join(base, 'outside'), join(base, 'one/way-out'));
    const engine = open(protection);
    expect(await engine.narrowed([join(base, 'one/way-out')])).toBeUndefined();
    const inner = (await engine.narrowed([join(base, 'one/app')]))!;
    for (const path of ['out/d.txt', 'sideways/b.txt'])
      expect(await failureOf(inner.files.read(path))).toBe('outside');
  });

  it('leaves no descriptor open once it is closed', async () => {
    const engine = open(protection);
    const before = heldBelow(base);
    const inner = (await engine.narrowed([join(base, 'one/app'), join(base, 'two')]))!;
    await inner.files.read('a.txt');
    await inner.close();
    await engine.narrowed([join(base, 'outside')]);
    await expectNoMoreHeld(before, base);
  });
});

it('a narrowed engine keeps its directory when somebody puts a link in its place', async () => {
  const inner = (await open().narrowed([join(base, 'one/app')]))!;
  renameSync(join(base, 'one/app'), join(base, 'one/moved'));
  symlinkSync(join(base, 'outside'), join(base, 'one/app'));
  expect((await inner.files.read('a.txt')).text).toBe('a');
  expect(await failureOf(inner.files.read('d.txt'))).toBe('not-found');
});

it('an engine reports the changes of an engine that was narrowed from it', async () => {
  const engine = open();
  const inner = (await engine.narrowed([join(base, 'one/app')]))!;
  const heard: unknown[] = [];
  const stop = engine.onChange((path, below) => heard.push([path, below]));
  await inner.files.write('a.txt', 'new');
  expect(heard).toEqual([[join(base, 'one/app/a.txt'), false]]);
  stop();
  await inner.files.write('a.txt', 'newer');
  expect(heard).toHaveLength(1);
});

describe('watching an entry', () => {
  it('reports changes by other programs, but only of that entry', async () => {
    let heard = 0;
    const watch = await open().watch('app/a.txt', () => heard++);
    expect(watch).toBeDefined();
    writeFileSync(join(base, 'one/app/other.txt'), 'x');
    writeFileSync(join(base, 'one/app/a.txt'), 'changed');
    await until(() => heard > 0);
    watch!.close();
  });

  it('does not report changes behind a link that replaced its directory', async () => {
    const heard: string[] = [];
    const engine = open();
    const watch = await engine.watch('app/a.txt', () => heard.push('watch'));
    const control = await engine.watch('other/b.txt', () => heard.push('control'));
    layOut(base, { 'outside/a.txt': 'x' });
    renameSync(join(base, 'one/app'), join(base, 'one/moved'));
    symlinkSync(join(base, 'outside'), join(base, 'one/app'));
    // Events arrive in order: once the control is heard, all earlier events have been too.
    writeFileSync(join(base, 'one/other/b.txt'), 'after the move');
    await until(() => heard.includes('control'));
    const before = heard.filter((each) => each === 'watch').length;
    const controls = heard.length - before;
    writeFileSync(join(base, 'outside/a.txt'), 'changed');
    writeFileSync(join(base, 'one/other/b.txt'), 'changed again');
    await until(() => heard.filter((each) => each === 'control').length > controls);
    expect(heard.filter((each) => each === 'watch')).toHaveLength(before);
    watch!.close();
    control!.close();
  });

  it('fails outside the given directories', async () => {
    expect(await failureOf(open().watch(join(base, 'outside/d.txt'), () => {}))).toBe('outside');
  });
});
