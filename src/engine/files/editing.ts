/** Edits of text files: read, change only what matched, and write back only if nobody else changed the file. */
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import { lineEndingOf, withLineEnding } from '../text/encoding.ts';
import { type LineRange, spanOfLines } from '../text/line-span.ts';
import { type EditContext, findLiteralSplices, type LiteralEdit } from '../text/literal-edit.ts';
import { newlineView } from '../text/newline-view.ts';
import type { RegexEdit, RegexOutcome } from '../text/regex-edit.ts';
import type { ReplacementStyle } from '../text/replacement.ts';
import { applySplices, type Splice } from '../text/splice.ts';
import { CutOffPool } from '../workers/cut-off.ts';

export type TextEdit = (
  | ({ kind: 'literal' } & LiteralEdit)
  | {
      kind: 'regex';
      pattern: string;
      /** `g` is implied: `limit` says how many. */
      flags: string;
      replace: string;
      style: ReplacementStyle;
      limit: number;
      /** Whether it is a failure that nothing matches. */
      mustMatch: boolean;
    }
) & {
  /** Only these lines are looked at, as one text of their own. */
  lines?: LineRange | undefined;
};

/** The ways to write a carriage return in a pattern. */
const CARRIAGE_RETURN = /\r|\\(?:r|x0d|u000d|u\{0*d\}|cm)/i;

export interface EditOutcome {
  text: string;
  /** How many places were changed by each edit. */
  replacements: number[];
}

/** Told before the text is put together: beyond some length there is no such string at all. */
function requireRoom(text: string, splices: readonly Splice[], path: string): void {
  let size = text.length;
  for (const { start, end, text: put } of splices) size += put.length - (end - start);
  const limit = limits.wholeFileBytes;
  if (size > limit) fail({ kind: 'too-large', path, size, limit, action: 'write' });
}

export class Editor {
  #regexes: CutOffPool<RegexEdit, RegexOutcome> | undefined;

  /** Applies the edits one after the other, each to what the one before it left. */
  async apply(
    text: string,
    edits: readonly TextEdit[],
    path: string,
    signal: AbortSignal | undefined,
  ): Promise<EditOutcome> {
    const replacements: number[] = [];
    let current = text;
    for (const [index, edit] of edits.entries()) {
      const context = { path, edit: index + 1 };
      const splices = await (edit.lines
        ? this.#splicesWithin(edit.lines, current, edit, context, signal)
        : this.#splices(current, edit, context, signal));
      replacements.push(splices.length);
      requireRoom(current, splices, path);
      current = applySplices(current, splices);
    }
    return { text: current, replacements };
  }

  async close(): Promise<void> {
    await this.#regexes?.close();
  }

  async #splices(
    text: string,
    edit: TextEdit,
    context: EditContext,
    signal: AbortSignal | undefined,
  ): Promise<Splice[]> {
    if (edit.kind === 'literal') return findLiteralSplices(text, edit, context);
    return this.#regexSplices(text, edit, context, signal);
  }

  async #splicesWithin(
    lines: LineRange,
    text: string,
    edit: TextEdit,
    context: EditContext,
    signal: AbortSignal | undefined,
  ): Promise<Splice[]> {
    const { start, end } = spanOfLines(text, lines, context.path);
    const part = text.slice(start, end);
    const found = await this.#splices(part, edit, context, signal);
    // One line alone does not show how lines end here; the whole text does.
    const ending = lineEndingOf(part) === undefined ? lineEndingOf(text) : undefined;
    return found.map((splice) => ({
      start: splice.start + start,
      end: splice.end + start,
      text: withLineEnding(splice.text, ending),
    }));
  }

  async #regexSplices(
    text: string,
    edit: TextEdit & { kind: 'regex' },
    context: EditContext,
    signal: AbortSignal | undefined,
  ): Promise<Splice[]> {
    const view = newlineView(text);
    const seen = await this.#find(view.text, edit, context, signal);
    if (seen.length > 0) {
      const ending = lineEndingOf(text);
      return seen.map(({ start, end, text: put }) => ({
        start: view.toReal(start),
        end: view.toReal(end),
        text: withLineEnding(put, ending),
      }));
    }
    // Only a pattern that asks for `\r` itself is tried on the text as it really is: there `^` and `$` also
    // match between `\r` and `\n`.
    const asksForIt = view.text !== text && CARRIAGE_RETURN.test(edit.pattern);
    const raw = asksForIt ? await this.#find(text, edit, context, signal) : [];
    if (raw.length === 0 && edit.mustMatch) {
      fail({ kind: 'no-match', ...context, needle: edit.pattern, mode: 'regex', near: [] });
    }
    return raw;
  }

  async #find(
    text: string,
    edit: TextEdit & { kind: 'regex' },
    context: EditContext,
    signal: AbortSignal | undefined,
  ): Promise<Splice[]> {
    this.#regexes ??= new CutOffPool('regex-worker.cjs', limits.regexWorkers);
    const { pattern: source, flags, replace: template, style, limit } = edit;
    const isRange = edit.lines !== undefined;
    const outcome = await this.#regexes.run(
      { text, source, flags, template, style, limit, isRange },
      { ms: limits.regexMs, signal },
    );
    if ('splices' in outcome) return outcome.splices;
    if ('badRegex' in outcome) return fail({ kind: 'bad-regex', pattern: source, reason: outcome.badRegex });
    const { badReference: reference, groups } = outcome;
    return fail({ kind: 'bad-group-reference', ...context, reference, groups });
  }
}
