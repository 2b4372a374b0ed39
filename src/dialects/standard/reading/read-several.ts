/** Reads several files into one answer. Each gets an equal share, and what short files leave goes to the others. */
import { truncate } from '../../../display/truncate.ts';
import { truncateToBytes } from '../../../display/truncate-bytes.ts';
import { EngineFailure, type Failure } from '../../../engine/index.ts';
import type { ToolContext } from '../../dialect.ts';
import { noteFits } from '../../results/next-call.ts';
import { budgetOf } from '../../results/token-budget.ts';
import { failureText } from '../failures.ts';
import { MAX_SHOWN_PATH } from '../shown-lengths.ts';
import { readText } from './read-text.ts';

const SEPARATOR = '\n---\n';
/** Room for the words around a file's text, which say how to continue. Its path comes on top. */
const OVERHEAD = 150;
/** Showing less of a file is not worth it. */
const LEAST_TEXT = 100;

interface ReadOutcome {
  text: string;
  isCut: boolean;
  failure?: Failure;
}

export async function readSeveral(
  paths: readonly string[],
  context: ToolContext,
): Promise<{ text: string; failure: Failure | undefined }> {
  const files: ReadOutcome[] = [];
  let room = budgetOf(context, { paths });
  for (const [index, path] of paths.entries()) {
    const least = LEAST_TEXT + overheadOf(path);
    if (index > 0 && room < least) break;
    const share = Math.max(Math.floor(room / (paths.length - index)), least);
    files.push(await textOf(path, share, context));
    room -= bytesOf(files[index]!);
  }
  await giveRest(files, paths, room, context);
  const texts = files.map(({ text }) => text);
  if (files.length < paths.length) texts.push(rest(paths, files.length, context));
  const failure = files.every((file) => file.failure) ? files[0]!.failure : undefined;
  return { text: texts.join(SEPARATOR), failure };
}

/** Reads truncated files again, now that there is more room for them. */
async function giveRest(
  files: ReadOutcome[],
  paths: readonly string[],
  room: number,
  context: ToolContext,
): Promise<void> {
  const cut = files.flatMap((file, index) => (file.isCut ? [index] : []));
  let left = room;
  for (const [at, index] of cut.entries()) {
    const more = Math.floor(left / (cut.length - at));
    if (more < LEAST_TEXT) return;
    const before = bytesOf(files[index]!);
    files[index] = await textOf(paths[index]!, before + more, context);
    left -= bytesOf(files[index]!) - before;
  }
}

function bytesOf({ text }: ReadOutcome): number {
  return Buffer.byteLength(text) + SEPARATOR.length;
}

/** The path appears twice: above the text, and in the call that continues. */
function overheadOf(path: string): number {
  return 2 * Buffer.byteLength(path) + OVERHEAD;
}

function rest(paths: readonly string[], shown: number, context: ToolContext): string {
  const left = paths.length - shown;
  const next = `next: read_multiple_files ${JSON.stringify({ paths: paths.slice(shown) })}`;
  const shorter = `next: read_multiple_files with the last ${left} of these paths`;
  return `[${left} more files; ${noteFits(next, context) ? next : shorter}]`;
}

async function textOf(path: string, bytes: number, context: ToolContext): Promise<ReadOutcome> {
  try {
    const most = Math.max(LEAST_TEXT, bytes - overheadOf(path));
    const { answer, isCut } = await readText({ path }, context, most);
    return { text: `${path}:\n${answer}\n`, isCut };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { facts } = error;
    const why = `${truncate(path, MAX_SHOWN_PATH)}: Error - ${failureText(facts, 'read_text_file', context)}`;
    return { text: truncateToBytes(why, bytes), isCut: false, failure: facts };
  }
}
