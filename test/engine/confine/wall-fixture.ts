/** A fixture for tests of the wall: a root, things outside it that must never be touched, and an engine. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import {
  Engine,
  EngineFailure,
  type EngineOptions,
  type Failure,
  type RootSpec,
  type TextEdit,
} from '../../../src/engine/index.ts';
import { layOut, type Tree, temporaryDirectory } from '../../tree.ts';

/** Both walls: the strongest that this system has, and the fallback. */
export const wallKinds = ['strongest', 'verified'] as const;
export type WallKind = (typeof wallKinds)[number];

export const SECRET = 'the secret that lies outside';

export interface WallFixture {
  /** Holds the root, `outside/` and the root's namesake `workshop/`. */
  base: string;
  root: string;
  outside: string;
  engine: Engine;
  /** Fails unless everything outside the root is exactly as it was laid out. */
  expectOutsideUntouched(): void;
}

export interface WallFixtureOptions extends Omit<EngineOptions, 'roots' | 'protection'> {
  /** The roots, relative to the base; `:ro` as on the command line. Default: `work`. */
  roots?: readonly string[];
}

/**
 * `tree` is laid out in `base/work`; `{OUT}` in its links stands for the directory outside. Everything is removed when
 * the test ends.
 */
export function openWallFixture(
  kind: WallKind,
  tree: Tree = {},
  options: WallFixtureOptions = {},
): WallFixture {
  const { path: base, remove } = temporaryDirectory();
  const root = join(base, 'work');
  const outside = join(base, 'outside');
  layOut(base, {
    'outside/secret.txt': SECRET,
    'outside/sub/secret.txt': SECRET,
    'workshop/secret.txt': SECRET,
    'work/': '',
  });
  layOut(root, withOutside(tree, outside));
  const { roots = ['work'], ...rest } = options;
  const specs = roots.map((text) => toRoot(base, text));
  const engine = openEngine({ ...rest, roots: specs, protection: kind }, remove);
  onTestFinished(async () => {
    await engine.close();
    remove();
  });
  const before = fingerprint(base, 'work');
  const expectOutsideUntouched = () => expect(fingerprint(base, 'work')).toEqual(before);
  return { base, root, outside, engine, expectOutsideUntouched };
}

/** Leaves nothing behind when the engine refuses to open. */
function openEngine(options: EngineOptions, remove: () => void): Engine {
  try {
    return new Engine(options);
  } catch (error) {
    remove();
    throw error;
  }
}

function toRoot(base: string, text: string): RootSpec {
  const writable = !text.endsWith(':ro');
  const path = writable ? text : text.slice(0, -3);
  return { path: path.startsWith('/') ? path : join(base, path), writable };
}

function withOutside(tree: Tree, outside: string): Tree {
  return Object.fromEntries(
    Object.entries(tree).map(([path, described]) => [
      path,
      typeof described === 'object' && 'link' in described
        ? { link: described.link.replaceAll('{OUT}', outside) }
        : described,
    ]),
  );
}

/** Everything below a directory except one entry: names, kinds, modes, inodes, times and bytes. */
export function fingerprint(directory: string, except?: string, at = ''): string[] {
  const lines: string[] = [];
  for (const name of readdirSync(join(directory, at)).sort()) {
    const path = at === '' ? name : `${at}/${name}`;
    if (path === except) continue;
    const full = join(directory, path);
    const stat = lstatSync(full, { bigint: true });
    const facts = `${path} ${stat.mode} ${stat.ino} ${stat.nlink} ${stat.mtimeNs} ${stat.ctimeNs}`;
    if (stat.isDirectory()) lines.push(facts, ...fingerprint(directory, except, path));
    else if (stat.isSymbolicLink()) lines.push(`${facts} -> ${readlinkSync(full)}`);
    else if (stat.isFile()) lines.push(`${facts} ${readFileSync(full, 'latin1')}`);
    else lines.push(facts);
  }
  return lines;
}

/** The facts of the failure that a call must end with. */
export async function failureOf(call: Promise<unknown>): Promise<Failure> {
  try {
    const value = await call;
    throw new Error(`succeeded, with ${JSON.stringify(value, bigintAsText)?.slice(0, 200)}`);
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
}

function bigintAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

export function replacing(find: string, replace: string): TextEdit {
  return {
    kind: 'literal',
    find,
    replace,
    ignoreCase: false,
    limit: 1,
    unique: true,
    anyIndent: false,
  };
}

type Operation = (engine: Engine, path: string) => Promise<unknown>;

/** Operations that read what a path leads to. */
export const looks: Record<string, Operation> = {
  read: (engine, path) => engine.files.read(path),
  list: (engine, path) => engine.files.list(path),
  tree: (engine, path) => engine.files.tree(path),
  info: (engine, path) => engine.files.info(path),
  'a check for reading': (engine, path) => engine.files.check(path, 'read'),
  'the preview of an edit': (engine, path) =>
    engine.files.previewEdit(path, [replacing('a', 'b')], { name: 'x' }),
};

/** Operations that change what a path leads to, also through a link at its end. */
export const changes: Record<string, Operation> = {
  write: (engine, path) => engine.files.write(path, 'written'),
  edit: (engine, path) => engine.files.edit(path, [replacing('secret', 'edited')]),
  append: (engine, path) => engine.files.append(path, 'appended'),
  'making a directory': (engine, path) => engine.files.makeDirectory(path),
};

/** Operations that change the entry itself, which may be a link, wherever it points. */
export const entryChanges: Record<string, Operation> = {
  delete: (engine, path) => engine.files.remove(path),
  'recursive delete': (engine, path) => engine.files.remove(path, { recursive: true }),
  'moving away': (engine, path) => engine.files.move(path, 'moved-here'),
  'moving there': (engine, path) => {
    writeFileSync(join(engine.roots[0]!.path, 'to-be-moved'), 'x');
    return engine.files.move('to-be-moved', path);
  },
};

export const everyOperation: Record<string, Operation> = { ...looks, ...changes, ...entryChanges };

export async function expectAllToFail(
  fixture: WallFixture,
  path: string,
  kind: Failure['kind'],
  operations: Record<string, Operation> = everyOperation,
): Promise<void> {
  for (const [name, operation] of Object.entries(operations)) {
    expect(await failureOf(operation(fixture.engine, path)), name).toMatchObject({ kind, path });
  }
  fixture.expectOutsideUntouched();
}
