import { grouped } from '../../../display/grouped.ts';
import { defineTool, hints, type ResultOutcome, type ToolContext } from '../../dialect.ts';
import { unlessStale } from '../editing/stale.ts';
import { refused } from '../outcome.ts';
import { pathOf } from '../paths.ts';
import { flag, ifHash, path } from '../schema.ts';

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete File',
  description: 'Delete a file or link, or with recursive a directory and everything in it. undo restores it.',
  hints: hints.destructive,
  hasChangeView: true,
  input: { type: 'object', properties: { path, recursive: flag, ifHash }, required: ['path'] },
  async run({ path, recursive = false, ifHash }, context) {
    const { engine, signal } = context;
    const target = await pathOf(path, context);
    if (!recursive && (await engine.files.entryAt(target)).type === 'directory') return isDirectory(path);
    return unlessStale(target, ifHash, context, async () => {
      const entries = recursive ? await countBelow(target, context) : 0;
      return { entries, ...(await engine.files.remove(target, { recursive, signal, ifHash })) };
    });
  },
  render(outcome, { path }) {
    if ('result' in outcome) return outcome;
    const { removed, entries, canUndo } = outcome;
    const what = removed === 'directory' && entries > 0 ? ` with ${grouped(entries)} entries in it` : '';
    return `Successfully deleted ${path}${what}${canUndo ? '; undo restores it' : ''}`;
  },
});

function isDirectory(path: string): ResultOutcome {
  const message = `EISDIR: illegal operation on a directory, unlink '${path}'\nrecursive: true deletes it with everything in it.`;
  return refused(message, 'not-a-file');
}

/** Counts what is below a directory. A link to one has nothing below it: only the link is deleted. */
async function countBelow(path: string, { engine, signal }: ToolContext): Promise<number> {
  const entry = await engine.files.entryAt(path);
  if (entry.type !== 'directory') return 0;
  return (await engine.search.walk(path, {}, { signal, onlyPrepares: true })).entries.length;
}
