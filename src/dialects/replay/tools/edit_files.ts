import { EngineFailure, isGlob } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext, text } from '../../dialect.ts';
import { editOne, editsSchema, type ReplayEdit, tellEdited } from '../edits.ts';
import { replayError } from '../failures.ts';
import { expandHome } from '../paths.ts';
import { searchCall } from '../searching.ts';

export const editFiles = defineTool({
  name: 'edit_files',
  title: 'Edit files',
  description:
    'Apply the same edits to several files, named by path or glob. One item per file; a file that cannot be edited shows as "path: [error CODE] message". Preview with dryRun first.',
  hints: hints.changes,
  input: {
    type: 'object',
    properties: {
      paths: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'Absolute paths and/or glob patterns',
      },
      edits: editsSchema,
      dryRun: {
        type: 'boolean',
        default: false,
        description: 'Preview every per-file diff before applying: this rewrites MANY files at once',
      },
    },
    required: ['paths', 'edits'],
  },
  async run({ paths, edits, dryRun }, context) {
    const expanded = await expandGlobs(paths, context);
    const files = await requireAllowed(expanded, dryRun ? 'read' : 'write', context);
    const told: string[] = [];
    for (const path of files) told.push(await editInline(path, edits, dryRun, context));
    return told;
  },
  render: (told) => ({ content: told.map(text) }),
});

/** A file that is really called so is meant, whatever its name would mean as a glob. */
async function expandGlobs(paths: readonly string[], context: ToolContext): Promise<string[]> {
  const expanded: string[] = [];
  for (const path of paths) {
    const whole = expandHome(path, context.home);
    if (!isGlob(path) || (await exists(whole, context))) expanded.push(path);
    else expanded.push(...(await context.engine.search.expand([whole], searchCall(context))));
  }
  return expanded;
}

async function exists(path: string, { engine }: ToolContext): Promise<boolean> {
  try {
    await engine.info(path);
    return true;
  } catch (error) {
    if (error instanceof EngineFailure) return false;
    throw error;
  }
}

/** A path that is not allowed fails the whole call before any file is touched; each file is edited once. */
async function requireAllowed(
  paths: readonly string[],
  needs: 'read' | 'write',
  { engine, home }: ToolContext,
): Promise<string[]> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const real = await engine.check(expandHome(path, home), needs).catch((error: unknown) => {
      if (error instanceof EngineFailure && replayError(error.facts).code !== -32001) return { path };
      throw error;
    });
    if (!seen.has(real.path)) seen.set(real.path, path);
  }
  return [...seen.values()];
}

async function editInline(
  path: string,
  edits: readonly ReplayEdit[],
  dryRun: boolean,
  context: ToolContext,
): Promise<string> {
  try {
    return tellEdited(path, await editOne(path, edits, dryRun, context));
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { code, message } = replayError(error.facts);
    return `${path}: [error ${code}] ${message}`;
  }
}
