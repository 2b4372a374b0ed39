/** Edits many files one by one. A file that cannot be edited shows its error in place of its result. */
import { EngineFailure, type Failure, Yielder } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { onOneLine } from '../results/one-line.ts';
import { bytesAsJson, bytesOfText, countThatFits, MAX_TEXT_BYTES } from '../results/result-size.ts';
import { editedText, editOne, type ReplayEdit } from './edits.ts';
import { replayError } from './failures.ts';

export interface EditedFile {
  path: string;
  text: string;
  failure?: Failure;
}

/** What a content item takes in addition to its text. */
const ITEM_BYTES = 30;

function bytesOfItem(text: string): number | Promise<number> {
  const bytes = bytesOfText(text);
  return typeof bytes === 'number' ? bytes + ITEM_BYTES : bytes.then((sum) => sum + ITEM_BYTES);
}

export async function editEach(
  paths: readonly string[],
  edits: readonly ReplayEdit[],
  dryRun: boolean,
  context: ToolContext,
): Promise<EditedFile[]> {
  const yielder = new Yielder(context.signal);
  const edited: EditedFile[] = [];
  for (const path of paths) {
    await yielder.pause();
    edited.push(await editInline(path, edits, dryRun, context));
  }
  return edited;
}

/** Leaves out long previews first. When even the names are too much, the last files are only counted. */
export async function textsThatFit(files: readonly EditedFile[]): Promise<string[]> {
  const texts = files.map(({ text }) => text);
  if ((await countThatFits(texts, bytesOfItem)) === texts.length) return texts;
  let left = MAX_TEXT_BYTES / 2;
  const short: string[] = [];
  for (const { path, text } of files) {
    const bytes = (await bytesAsJson(text)) + ITEM_BYTES;
    const tooLong = `${onOneLine(path)}: [too long for this answer: ${bytes} bytes; preview the file alone]`;
    short.push(bytes > left ? tooLong : text);
    if (bytes <= left) left -= bytes;
  }
  const shown = await countThatFits(short, bytesOfItem);
  if (shown === short.length) return short;
  return [...short.slice(0, shown), `[cut: ${short.length - shown} more files, done like the others]`];
}

async function editInline(
  path: string,
  edits: readonly ReplayEdit[],
  dryRun: boolean,
  context: ToolContext,
): Promise<EditedFile> {
  try {
    return { path, text: editedText(path, await editOne(path, edits, dryRun, context)) };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { facts } = error;
    const { code, message } = replayError(facts);
    return { path, text: `${onOneLine(path)}: [error ${code}] ${message}`, failure: facts };
  }
}
