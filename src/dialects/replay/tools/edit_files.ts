import { Breathing, EngineFailure, type Failure, isGlob } from '../../../engine/index.ts';
import { jsonBytes } from '../../../json/json-size.ts';
import { defineTool, hints, type ToolContext, text } from '../../dialect.ts';
import { onOneLine } from '../../one-line.ts';
import { countThatFits, MAX_TEXT_BYTES, textFits } from '../../result-size.ts';
import { editOne, editsSchema, type ReplayEdit, tellEdited } from '../edits.ts';
import { replayError } from '../failures.ts';
import { expandHome } from '../paths.ts';
import { searchCall, unreadableNote } from '../searching.ts';

export const editFiles = defineTool({
  name: 'edit_files',
  title: 'Edit files',
  description:
    'Apply the same edits to several files, named by path or glob. One item per file; a file that cannot be edited shows as "path: [error CODE] message". Preview with dryRun first.',
  hints: hints.destructive,
  usefulReadOnly: true,
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
    const breathing = new Breathing(context.signal);
    const { named, notes } = await expandGlobs(new Set(paths), context, breathing);
    const files = await requireAllowed(named, dryRun ? 'read' : 'write', context, breathing);
    const outcome: OneEdited[] = [];
    for (const path of files) {
      await breathing.pause();
      outcome.push(await editInline(path, edits, dryRun, context));
    }
    return { outcome, notes };
  },
  render: ({ outcome, notes }) => ({
    result: { content: [...saidWithinRoom(outcome), ...notes].map(text) },
    failure: outcome.every(({ failure }) => failure) ? outcome[0]?.failure : undefined,
  }),
});

/** Long previews give way first; were even the names of the files too much, the last ones are counted only. */
function saidWithinRoom(outcome: readonly OneEdited[]): string[] {
  const says = outcome.map((each) => each.says);
  if (textFits(says.join('\n'), MAX_TEXT_BYTES - ITEM_BYTES * says.length)) return says;
  let room = MAX_TEXT_BYTES / 2;
  const short = outcome.map(({ path, says }) => {
    const bytes = jsonBytes(says) + ITEM_BYTES;
    if (bytes > room)
      return `${onOneLine(path)}: [too long for this answer: ${bytes} bytes; preview the file alone]`;
    room -= bytes;
    return says;
  });
  const shown = countThatFits(short, (said) => jsonBytes(said) + ITEM_BYTES);
  if (shown === short.length) return short;
  return [...short.slice(0, shown), `[cut: ${short.length - shown} more files, done like the others]`];
}

/** What a content item takes besides its text. */
const ITEM_BYTES = 30;

interface OneEdited {
  path: string;
  says: string;
  failure?: Failure;
}

/** A file that is really called so is meant, whatever its name would mean as a glob. */
async function expandGlobs(
  paths: ReadonlySet<string>,
  context: ToolContext,
  breathing: Breathing,
): Promise<{ named: Set<string>; notes: string[] }> {
  const globs = new Map<string, string>();
  for (const path of paths) {
    await breathing.pause();
    const whole = expandHome(path, context.home);
    if (isGlob(path) && !(await context.engine.files.peek(whole))) globs.set(path, whole);
  }
  const { search } = context.engine;
  const { files, ...skipped } = await search.expand([...globs.values()], searchCall(context));
  const meant = new Map([...globs.keys()].map((glob, index) => [glob, files[index]!]));
  return {
    named: new Set([...paths].flatMap((path) => meant.get(path) ?? [path])),
    notes: [
      ...unreadableNote(skipped.skippedUnreadable),
      ...(skipped.skippedUnnameable > 0
        ? [`[${skipped.skippedUnnameable} path(s) skipped: the name is not UTF-8]`]
        : []),
    ],
  };
}

/** A path that is not allowed fails the whole call before any file is touched; each file is edited once. */
async function requireAllowed(
  paths: ReadonlySet<string>,
  needs: 'read' | 'write',
  { engine, home }: ToolContext,
  breathing: Breathing,
): Promise<string[]> {
  const seen = new Map<string, string>();
  for (const path of paths) {
    await breathing.pause();
    const real = await engine.files.check(expandHome(path, home), needs).catch((error: unknown) => {
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
): Promise<OneEdited> {
  try {
    return { path, says: tellEdited(path, await editOne(path, edits, dryRun, context)) };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { facts } = error;
    const { code, message } = replayError(facts);
    return { path, says: `${onOneLine(path)}: [error ${code}] ${message}`, failure: facts };
  }
}
