/** Finds the absolute path that a call means: it may send one from the home directory, or from a given directory. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fail, requireShortPath } from '../../engine/index.ts';
import { expandHome } from '../../expand-home.ts';
import type { ToolContext } from '../dialect.ts';

const WINDOWS_PATH = /^[A-Za-z]:(?:[\\/]|$)/;
/** Matches a path that has a backslash before any slash: a Windows path, unless an entry has exactly that name. */
const BACKSLASH_PATH = /^[^/\\]*\\/;
const BEYOND_ASCII = /[^\u0000-\u007f]/;

/** For messages: how each call named its paths, where that was not by the path itself. */
const namesInCalls = new WeakMap<ToolContext, Map<string, string>>();

/** The path as its call named it. */
export function asCalled(path: string, context: ToolContext): string {
  return namesInCalls.get(context)?.get(path) ?? path;
}

/** The absolute path that a call means. Nothing needs to be there. */
export function pathOf(named: string, context: ToolContext): string | Promise<string> {
  requireShortPath(named);
  if (process.platform !== 'win32' && WINDOWS_PATH.test(named)) refuseWindowsPath(named);
  const plain = expandHome(named, context.home).replace(/(?<=[^/])\/+$/, '');
  const path = absolute(plain, context);
  if (process.platform !== 'win32' && BACKSLASH_PATH.test(named))
    return unlessForWindows(path, named, context);
  if (typeof path === 'string' && !BEYOND_ASCII.test(path)) return remembered(path, named, context);
  return pathInUnicodeForm(path, named, context);
}

async function unlessForWindows(
  path: string | Promise<string>,
  named: string,
  context: ToolContext,
): Promise<string> {
  const meant = await pathInUnicodeForm(path, named, context);
  return (await context.engine.files.peek(meant)) ? meant : refuseWindowsPath(named);
}

function refuseWindowsPath(named: string): never {
  return refuse(`Access denied - Windows-style path received on a POSIX host: ${named}`);
}

async function pathInUnicodeForm(
  path: string | Promise<string>,
  named: string,
  context: ToolContext,
): Promise<string> {
  return remembered(await inUnicodeForm(await path, context), named, context);
}

/** Remembers how the call named a path. */
function remembered(path: string, named: string, context: ToolContext): string {
  if (path !== named) {
    const names = namesInCalls.get(context) ?? new Map<string, string>();
    names.set(path, named);
    namesInCalls.set(context, names);
  }
  return path;
}

/** Looks in the given directories: the first that holds the path, or else its parent; or else simply the first. */
function absolute(path: string, { engine }: ToolContext): string | Promise<string> {
  if (isAbsolute(path) || path.includes('\0')) return path;
  const all = engine.roots.map((root) => resolve(root.path, path));
  return all.length <= 1 ? all[0]! : firstThatHolds(all, engine);
}

async function firstThatHolds(all: readonly string[], engine: ToolContext['engine']): Promise<string> {
  for (const candidates of [all, all.map(dirname)]) {
    for (const [index, candidate] of candidates.entries()) {
      if (await engine.files.peek(candidate)) return all[index]!;
    }
  }
  return all[0]!;
}

/** The path as the disk has it, perhaps in another Unicode form. Fails if two names there differ in form only. */
async function inUnicodeForm(path: string, { engine, signal }: ToolContext): Promise<string> {
  if (!BEYOND_ASCII.test(path) || path.includes('\0') || (await engine.files.peek(path))) return path;
  const root = engine.roots.find((each) => path.startsWith(`${each.path}/`));
  if (!root) return path;
  let found = root.path;
  const names = path.slice(root.path.length + 1).split('/');
  for (const [index, name] of names.entries()) {
    const next = BEYOND_ASCII.test(name) ? await sameName(found, name) : name;
    if (next === undefined) return join(found, ...names.slice(index));
    found = join(found, next);
  }
  return found;

  async function sameName(directory: string, name: string): Promise<string | undefined> {
    if (await engine.files.peek(join(directory, name))) return name;
    if ((await engine.files.peek(directory))?.type !== 'directory') return undefined;
    const wanted = name.normalize('NFC');
    const entries = await engine.files.list(directory, { signal });
    const same = entries.filter((entry) => entry.name.normalize('NFC') === wanted);
    if (same.length > 1) refuse(`Ambiguous Unicode path component: ${name}`);
    return same[0]?.name;
  }
}

function refuse(message: string): never {
  return fail({ kind: 'bad-arguments', problems: [{ field: 'path', missing: false, message }] });
}
