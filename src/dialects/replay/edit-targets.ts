/** Finds the files that edit_files means: paths are taken literally, and globs stand for the files that they match. */
import { isGlob, Yielder } from '../../engine/index.ts';
import { expandHome } from '../../expand-home.ts';
import type { ToolContext } from '../dialect.ts';
import { searchCall, unreadableNote } from './searching/search-scope.ts';

export interface EditTargets {
  /** As the caller wrote them, or as a glob found them. */
  paths: string[];
  notes: string[];
}

/** Fails for a path that is not allowed, before any file is touched. Lists each file once. */
export async function editTargets(
  sent: readonly string[],
  needs: 'read' | 'write',
  context: ToolContext,
): Promise<EditTargets> {
  const { engine, home, signal } = context;
  const { named, notes } = await expandGlobs(new Set(sent), context);
  const asSent = new Map([...named].reverse().map((path) => [expandHome(path, home), path]));
  const files = await engine.files.checkAll(
    [...named].map((path) => expandHome(path, home)),
    needs,
    { signal },
  );
  return { paths: files.map((path) => asSent.get(path)!), notes };
}

/** A path that looks like a glob but names an existing file means that file. */
async function expandGlobs(
  paths: ReadonlySet<string>,
  context: ToolContext,
): Promise<{ named: Set<string>; notes: string[] }> {
  const { engine, home, signal } = context;
  const yielder = new Yielder(signal);
  const globs = new Map<string, string>();
  for (const path of paths) {
    await yielder.pause();
    const whole = expandHome(path, home);
    if (isGlob(path) && !(await engine.files.peek(whole))) globs.set(path, whole);
  }
  const { files, ...skipped } = await engine.search.expand([...globs.values()], searchCall(context));
  const matched = new Map([...globs.keys()].map((glob, index) => [glob, files[index]!]));
  const named = new Set([...paths].flatMap((path) => matched.get(path) ?? [path]));
  return { named, notes: skippedNotes(skipped) };
}

function skippedNotes(skipped: { skippedUnreadable: number; skippedUnnameable: number }): string[] {
  const { skippedUnreadable, skippedUnnameable: unnameable } = skipped;
  const notUtf8 = unnameable > 0 ? [`[${unnameable} path(s) skipped: the name is not UTF-8]`] : [];
  return [...unreadableNote(skippedUnreadable), ...notUtf8];
}
