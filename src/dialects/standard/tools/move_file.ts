import { EngineFailure, fail } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { unlessStale } from '../editing/stale.ts';
import { missing } from '../failures.ts';
import { pathOf } from '../paths.ts';
import { ifHash, path } from '../schema.ts';

export const moveFile = defineTool({
  name: 'move_file',
  title: 'Move File',
  description: 'Move or rename a file or directory. Fails if the destination exists.',
  hints: hints.destructive,
  hasChangeView: true,
  input: {
    type: 'object',
    properties: { source: path, destination: path, ifHash },
    required: ['source', 'destination'],
  },
  async run({ source, destination, ifHash }, context) {
    const { engine, signal } = context;
    const [from, to] = [await pathOf(source, context), await pathOf(destination, context)];
    return unlessStale(from, ifHash, context, async () => {
      try {
        return await engine.files.move(from, to, { signal, ifHash });
      } catch (error) {
        if (!(error instanceof EngineFailure)) throw error;
        const { kind } = error.facts;
        if (kind !== 'not-found' && kind !== 'into-itself') throw error;
        if (await isThere(to, context)) fail({ kind: 'exists', path: to, found: 'file' });
        if (error.facts.kind !== 'not-found' && (await isThere(from, context))) throw error;
        engine.reportFailure(error.facts);
        return missing(
          error.facts.kind === 'not-found' ? error.facts.near : [],
          `rename '${source}' -> '${destination}'`,
        );
      }
    });
  },
  render: (outcome, { source, destination }) =>
    'result' in outcome ? outcome : `Successfully moved ${source} to ${destination}`,
});

async function isThere(path: string, { engine }: ToolContext): Promise<boolean> {
  try {
    await engine.files.entryAt(path);
    return true;
  } catch {
    return false;
  }
}
