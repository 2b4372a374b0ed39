/** Makes sure that answers stay within the token budget, whatever the tools do with long names and texts. */
import { grouped } from '../../display/grouped.ts';
import { truncateMiddle, truncateToBytes } from '../../display/truncate-bytes.ts';
import { MOST_BYTES_A_UNIT } from '../../utf16.ts';
import type { Content, ToolOutcome } from '../dialect.ts';
import { answerBytes, type Budget, BYTES_PER_TOKEN } from './token-budget.ts';

/** Room for `[12,345 more lines]`. */
const LEFT_OUT_BYTES = 40;
/** A shorter note would say nothing useful. */
const LEAST_NOTE = 110;

/** The budget that a note leaves for the answer itself. The note may take up to a quarter. */
export function budgetBeside(note: string | undefined, budget: Budget): Budget {
  if (note === undefined) return budget;
  const bytes = answerBytes(budget);
  return { maxTokens: Math.floor((bytes - Math.min(Buffer.byteLength(note), bytes >> 2)) / BYTES_PER_TOKEN) };
}

/** Truncates notes so that they fit next to the answer. */
export function notesBeside(outcome: ToolOutcome, notes: readonly string[], budget: Budget): string[] {
  if (notes.length === 0) return [];
  let room = answerBytes(budget) - textBytes(outcome);
  return notes.map((note, index) => {
    const own = Math.max(LEAST_NOTE, Math.floor(room / (notes.length - index)));
    const shown = truncateToBytes(note, own);
    room -= Buffer.byteLength(shown);
    return shown;
  });
}

/** Truncates an answer that its tool did not keep within the budget, at a whole line. Media do not count. */
export function fitBudget<T extends ToolOutcome>(outcome: T, budget: Budget): T {
  if (surelyFits(outcome, answerBytes(budget))) return outcome;
  const excess = textBytes(outcome) - answerBytes(budget);
  if (excess <= 0) return outcome;
  if ('error' in outcome) {
    const message = cutLines(outcome.error.message, answerBytes(budget));
    return { ...outcome, error: { ...outcome.error, message } };
  }
  const { content } = outcome.result;
  const longest = content.reduce((best, item) => (bytesOf(item) > bytesOf(best) ? item : best));
  const cut = content.map((item) =>
    item === longest && item.type === 'text'
      ? { ...item, text: cutLines(item.text, bytesOf(item) - excess) }
      : item,
  );
  return { ...outcome, result: { ...outcome.result, content: cut } };
}

/** Whether the answer is a single text, short enough to fit whatever its characters are. */
function surelyFits(outcome: ToolOutcome, bytes: number): boolean {
  if ('error' in outcome || outcome.result.content.length !== 1) return false;
  const [item] = outcome.result.content;
  return item!.type === 'text' && item!.text.length * MOST_BYTES_A_UNIT <= bytes;
}

function textBytes(outcome: ToolOutcome): number {
  if ('error' in outcome) return Buffer.byteLength(outcome.error.message);
  return outcome.result.content.reduce((sum, item) => sum + bytesOf(item), 0);
}

function bytesOf(item: Content): number {
  return item.type === 'text' ? Buffer.byteLength(item.text) : 0;
}

/** The first lines that fit. If the first line alone is too long, its middle is cut. */
function cutLines(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const lines = text.split('\n');
  let room = bytes - LEFT_OUT_BYTES;
  const shown = [truncateMiddle(lines[0]!, room)];
  room -= Buffer.byteLength(shown[0]!);
  for (const line of lines.slice(1)) {
    room -= Buffer.byteLength(line) + 1;
    if (room < 0) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  return left === 0 ? shown.join('\n') : `${shown.join('\n')}\n[${grouped(left)} more lines]`;
}
