/** Reads text: which lines a call means, how they are shown, and how to continue. */
import { grouped } from '../../../display/grouped.ts';
import { fail, lineHash, type PartRequest, shortContentHash, type TextPart } from '../../../engine/index.ts';
import { MOST_BYTES_A_UNIT } from '../../../utf16.ts';
import { type Session, type ToolContext, type ToolResult, text } from '../../dialect.ts';
import { type KnownText, ReadTexts } from '../../read-texts.ts';
import { nextCall } from '../../results/next-call.ts';
import { type Budget, budgetOf, partNote } from '../../results/token-budget.ts';
import { withHash, withLastLine } from '../outcome.ts';
import { pathOf } from '../paths.ts';

export interface ReadArguments {
  path: string;
  head?: number;
  tail?: number;
  offset?: number;
  limit?: number;
  column?: number;
  numbered?: boolean;
  anchors?: boolean;
  hash?: boolean;
}

export interface ReadText {
  answer: string;
  hash: string | undefined;
  /** The answer ends before the file does. */
  isCut: boolean;
}

export async function readText(
  args: ReadArguments,
  context: ToolContext,
  bytes = budgetOf(context, args),
): Promise<ReadText> {
  const { engine, session, signal } = context;
  const meant = pathOf(args.path, context);
  const path = typeof meant === 'string' ? meant : await meant;
  const part = await engine.files.readPart(path, requestOf(args, bytes, signal));
  requireLine(args, part);
  const isWhole = asksForAll(args);
  const whole = args.hash && !part.bytes ? (await engine.files.read(path, { signal })).bytes : part.bytes;
  const remembering =
    whole && (isWhole || args.hash || args.anchors) ? remember(session, path, whole) : undefined;
  const known = remembering instanceof Promise ? await remembering : remembering;
  const shown =
    isWhole && known && args.anchors
      ? shownAgain(part, args, bytes, { path, known, session })
      : shownPart(part, args, bytes);
  const answer = answerOf(args, part, { maxTokens: context.maxTokens }, shown);
  const isCut = part.continuesAt !== undefined || part.to < part.totalLines;
  return { answer, hash: isWhole || args.hash ? known?.hash : undefined, isCut };
}

/** Remembers what the client has read. */
function remember(session: Session, path: string, bytes: Buffer): KnownText | Promise<KnownText> {
  session.readTexts ??= new ReadTexts();
  const { readTexts } = session;
  const known = readTexts.readAgain(path, bytes);
  if (known !== undefined) return known;
  const hashing = shortContentHash(bytes);
  if (typeof hashing === 'string') return readTexts.remember(path, hashing, bytes);
  return hashing.then((hash) => readTexts.remember(path, hash, bytes));
}

export function rendered({ answer, hash }: ReadText, args: ReadArguments): ToolResult {
  const result = withHash(answer, hash, args.hash);
  const note = noteIgnored(args);
  return note === undefined ? result : { ...result, content: [...result.content, text(note)] };
}

/** With `head` or `tail`, as the official server has them, other arguments that choose lines have no effect. */
function noteIgnored({ head, tail, offset = 1, limit, column = 1 }: ReadArguments): string | undefined {
  const ignored = [
    ...(offset === 1 ? [] : ['offset']),
    ...(limit === undefined || limit === (head || tail) ? [] : ['limit']),
    ...(column === 1 ? [] : ['column']),
  ];
  if (!(head || tail) || ignored.length === 0) return undefined;
  return `[ignored: ${ignored.join(', ')}; use offset and limit without head or tail]`;
}

/** Refuses an offset after the last line. Line 1 of an empty file is fine. */
function requireLine({ path, head, tail, offset = 1, column = 1 }: ReadArguments, part: TextPart): void {
  if (head || tail) return;
  const { totalLines: lines, firstLine } = part;
  if (offset > Math.max(lines, 1)) fail({ kind: 'line-out-of-range', path, line: offset, lines });
  // A call that continues may begin at the very end of its line.
  if (firstLine === undefined || column <= firstLine.length + 1) return;
  const { length } = firstLine;
  const message = `line ${offset} of ${path} has ${grouped(length)} characters; there is no character ${grouped(column)}`;
  fail({ kind: 'bad-arguments', problems: [{ field: 'column', missing: false, message }] });
}

/** `head: 0` and `tail: 0` count as absent. */
function requestOf(args: ReadArguments, maxBytes: number, signal: AbortSignal): PartRequest {
  const { head, tail, offset: from, limit: lines, column } = args;
  if (tail) return { last: tail, maxBytes, signal };
  if (head) return { lines: head, maxBytes, signal };
  return { from, lines, column, maxBytes, signal };
}

function asksForAll({ head, tail, offset, limit, column }: ReadArguments): boolean {
  return !head && !tail && offset === undefined && limit === undefined && column === undefined;
}

/** The text as shown, plus a last line with the call that continues when something is missing. */
function answerOf(args: ReadArguments, part: TextPart, room: Budget, shown: ShownPart): string {
  const { continuesAt, totalLines, from } = part;
  const { to } = shown;
  const { path, numbered, anchors, limit } = args;
  const next = (more: object) => nextCall('read_text_file', { path, numbered, anchors }, more, room);
  if (continuesAt && to === from) {
    const { column, length } = continuesAt;
    const goesOn = next({ offset: from, column, limit: args.head ?? limit });
    return withLastLine(
      shown.text,
      partNote(`line ${from}, characters ${part.column}-${column - 1}`, length, goesOn),
    );
  }
  const wanted = lastWanted(args, part);
  const isAllWanted = to >= wanted && (args.head || limit === undefined);
  if (to >= totalLines || isAllWanted) return shown.text;
  const left = to >= wanted ? limit : wanted - to;
  const goesOn = next({ offset: to + 1, ...(left !== Number.POSITIVE_INFINITY && { limit: left }) });
  return withLastLine(shown.text, partNote(`lines ${from}-${to}`, totalLines, goesOn));
}

/** The last line that the call asked for. */
function lastWanted({ head, tail, limit }: ReadArguments, { from }: TextPart): number {
  if (tail) return Number.POSITIVE_INFINITY;
  const lines = head || limit;
  return lines === undefined ? Number.POSITIVE_INFINITY : from + lines - 1;
}

interface ShownPart {
  text: string;
  /** The last line that is shown. */
  to: number;
}

function shownPart(part: TextPart, args: ReadArguments, bytes: number): ShownPart {
  return args.numbered || args.anchors ? labelled(part, args, bytes) : plainText(part, args);
}

interface Before {
  path: string;
  known: KnownText;
  session: Session;
}

/** Shows a whole file with anchors. Reuses what the client saw before: comparing is faster than labelling the lines. */
function shownAgain(part: TextPart, args: ReadArguments, budget: number, before: Before): ShownPart {
  const { charset, to, totalLines, continuesAt } = part;
  const { path, known, session } = before;
  const { anchored } = known;
  if (anchored?.charset === charset && anchored.budget <= budget) return { text: anchored.text, to };
  const shown = labelled(part, args, budget);
  if (shown.to === totalLines && !continuesAt)
    session.readTexts?.rememberAnchored(path, known, { text: shown.text, charset, budget });
  return shown;
}

/** Follows the official server: a head has no newline at its end, and a tail no carriage returns. */
function plainText({ text, to }: TextPart, { head, tail }: ReadArguments): ShownPart {
  if (tail) return { text: text.replaceAll('\r\n', '\n'), to };
  return { text: head && text.endsWith('\n') ? text.slice(0, -1) : text, to };
}

/** Labels lines with numbers or anchors. An anchor is the hash of the whole line, even if only a part is shown. */
function labelled(part: TextPart, { anchors }: ReadArguments, bytes: number): ShownPart {
  const { text, from, to, firstLine } = part;
  const lines: string[] = [];
  let room = bytes;
  const texts = text === '' ? [] : (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
  const longestLabel = `${from + texts.length}#xx`.length;
  // Most files are short, and their lines need no measuring.
  const isShort = text.length * MOST_BYTES_A_UNIT + texts.length * (longestLabel + 3) <= bytes;
  for (let index = 0; index < texts.length; index++) {
    const line = texts[index]!;
    const number = from + index;
    const own = line.endsWith('\r') ? line.slice(0, -1) : line;
    const whole = index === 0 && firstLine !== undefined ? firstLine : own;
    const label = anchors ? `${number}#${lineHash(whole)}` : `${number}`;
    if (!isShort) room -= Buffer.byteLength(line) + label.length + 3;
    if (room < 0 && lines.length > 0) return { text: lines.join('\n'), to: number - 1 };
    lines.push(`${label}| ${own}`);
  }
  return { text: lines.join('\n'), to };
}
