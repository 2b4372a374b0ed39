/** Every way to work out a file's new content from its old one, from bytes to bytes: runs in any thread. */
import { changedBytes } from '../charset/changed-bytes.ts';
import { decode, decodeUnmarked, type Encoding, UTF8 } from '../charset/codec.ts';
import { encodingOf } from '../charset/encoding-of.ts';
import type { Charset } from '../charset/names.ts';
import { failUnencodable } from '../charset/unencodable.ts';
import { fail } from '../failures.ts';
import { type ByteContent, type ComparedBytes, comparedBytes } from './compared-bytes.ts';
import { unifiedDiff } from './diff/unified-diff.ts';
import { applyEdits, type TextEdit } from './edit/apply-edits.ts';
import { composed, type Part, partsOf } from './edit/parts.ts';
import type { Splices } from './edit/splice.ts';
import { applyEditList, type EditListOutcome, type ListedEdit, type ListedEditResult } from './edit-list.ts';
import {
  BOM,
  countLines,
  decodeForEdit,
  encode,
  lineEndingOf,
  type TextContent,
  textContent,
  withLineEnding,
} from './encoding.ts';
import { insertLines, type LineInsertion, type LinesInserted } from './lines/insert-lines.ts';
import {
  applyLineDiffs,
  type LineDiff,
  type LineDiffOptions,
  type LineDiffsApplied,
} from './lines/line-diffs.ts';
import { applyPatch } from './patch/apply.ts';
import { type ParsedPatch, parsePatch } from './patch/parse/parse.ts';
import { parseFilePatch } from './patch/parse/parse-files.ts';
import { applyPlan, type PlannedFile, plannedFiles } from './patch/planned-files.ts';

/** The job; `path` is for the facts of failures. `encoding` is that of the file, where it may be any. */
export type Rewriting = { path: string; encoding?: Encoding | undefined } & (
  | { kind: 'edit'; edits: readonly TextEdit[] }
  /** Only tells what an edit would change. */
  | { kind: 'preview'; edits: readonly TextEdit[]; name: string }
  /** With `dryRun`, only tells what the edits would change. `name` is the file's name in the diff. */
  | {
      kind: 'edit-list';
      edits: readonly ListedEdit[];
      remembered?: Uint8Array | undefined;
      name: string;
      /** How many unchanged lines the diff shows around a change. */
      context?: number;
      dryRun?: boolean | undefined;
    }
  | { kind: 'insert'; insertion: LineInsertion }
  | { kind: 'line-diffs'; diffs: readonly LineDiff[]; options: LineDiffOptions }
  | { kind: 'append'; content: string }
  /** What a patch says, and the content when it makes a new file: takes no old one. */
  | { kind: 'read-patch'; patch: string }
  | { kind: 'patch'; patch: string }
  /** What a patch of several files plans for each of them: takes no old content. */
  | { kind: 'plan-patch'; patch: string }
  /** One file of a patch of several: takes no old content when the patch adds the file. */
  | { kind: 'planned-file'; plan: PlannedFile }
  /** Only tells how the content differs from another one. */
  | { kind: 'diff'; before: ByteContent; after: Encoding; countsOnly: boolean }
);

/** What gives a text a new content. */
type TextRewriting = Exclude<Rewriting, { kind: 'read-patch' | 'plan-patch' | 'diff' }>;

/** What there is to tell of each kind besides the new content. */
export interface RewriteResults {
  edit: EditFacts;
  preview: { diff: string };
  'edit-list': EditListResult;
  insert: Omit<LinesInserted, 'text'>;
  'line-diffs': Omit<LineDiffsApplied, 'text'>;
  append: { bytes: number };
  'read-patch': { action: ParsedPatch['action']; hunks: number };
  patch: { deleted: boolean };
  'plan-patch': { plans: readonly PlannedFile[] };
  'planned-file': Record<never, never>;
  diff: ComparedBytes;
}

/** A refusal changes nothing. */
export type EditListResult =
  | { results: readonly ListedEditResult[]; diff: string }
  | Extract<EditListOutcome, { refusal: unknown }>;

export interface EditFacts {
  /** How many places were changed by each edit. */
  replacements: number[];
  /** How many lines the text had before. */
  lines: number;
}

export interface Rewrote<R = unknown> {
  /** Undefined when there is no new content, or it is the old one. */
  bytes: Buffer | undefined;
  result: R;
}

export function rewrite(job: Rewriting, bytes: Uint8Array | undefined, onRegex: () => void): Rewrote {
  if (job.kind === 'read-patch') return readPatch(job.patch, job.path);
  if (job.kind === 'plan-patch')
    return { bytes: undefined, result: { plans: plannedFiles(parseFilePatch(job.patch)) } };
  if (job.kind === 'diff') {
    const after = { bytes: asBuffer(bytes), encoding: job.after };
    return { bytes: undefined, result: comparedBytes(job.before, after, job.path, job.countsOnly) };
  }
  const { encoding = UTF8 } = job;
  if (encoding.charset !== 'utf-8') return rewriteEncoded(job, encoding, asBuffer(bytes), onRegex);
  const decoded = decodeForEdit(bytes ?? Buffer.alloc(0));
  if ('notText' in decoded) return fail({ kind: 'not-text', path: job.path, why: decoded.notText });
  const { after, marked = decoded.bom, result } = rewritten(job, decoded, onRegex);
  const isSame = after === decoded.text && marked === decoded.bom;
  if (after === undefined || isSame) return { bytes: undefined, result };
  return { bytes: encode({ text: after, bom: marked }), result };
}

/** A file in another encoding: what its text keeps keeps its bytes. */
function rewriteEncoded(
  job: TextRewriting,
  { charset, mark }: Encoding,
  bytes: Buffer,
  onRegex: () => void,
): Rewrote {
  const whole = decodeUnmarked(bytes, charset);
  const text = mark ? whole.slice(1) : whole;
  const { after, marked = mark, parts, result } = rewritten(job, { text, bom: mark }, onRegex);
  if (after === undefined || (after === text && marked === mark)) return { bytes: undefined, result };
  if (parts === undefined) return fail({ kind: 'not-text', path: job.path, why: 'not-utf8' });
  const changed = changedBytes(bytes, whole, parts, charset);
  if (Buffer.isBuffer(changed)) requireReadsAs(changed, charset, marked ? BOM + after : after, job.path);
  const isDry = job.kind === 'edit-list' && job.dryRun;
  if (Buffer.isBuffer(changed)) return { bytes: isDry ? undefined : changed, result };
  return failUnencodable(job.path, charset, marked ? BOM + after : after, changed);
}

/** A broken character before the place would take new bytes for its own: what is written must read as it was meant. */
function requireReadsAs(bytes: Buffer, charset: Charset, meant: string, path: string): void {
  const read = decodeUnmarked(bytes, charset);
  if (read === meant) return;
  let at = 0;
  while (read[at] === meant[at]) at++;
  failUnencodable(path, charset, meant, { character: meant[at] ?? '', at, isBroken: true });
}

function asBuffer(bytes: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function readPatch(patch: string, path: string): Rewrote<RewriteResults['read-patch']> {
  const parsed = parsePatch(patch);
  const result = { action: parsed.action, hunks: parsed.hunks.length };
  if (parsed.action !== 'create') return { bytes: undefined, result };
  const created = applyPatch(parsed, undefined, path);
  return { bytes: 'text' in created ? Buffer.from(created.text, 'utf8') : undefined, result };
}

function rewritten(
  job: TextRewriting,
  { text, bom }: TextContent,
  onRegex: () => void,
): {
  after?: string;
  marked?: boolean;
  /** Where the new text, with its mark, comes from: for files that are not UTF-8. */
  parts?: readonly Part[];
  result: unknown;
} {
  const { path } = job;
  switch (job.kind) {
    case 'edit': {
      const { text: after, replacements } = applyEdits(text, job.edits, path, onRegex);
      return { after, result: { replacements, lines: countLines(text) } };
    }
    case 'preview': {
      const { text: after } = applyEdits(text, job.edits, path, onRegex);
      return { result: { diff: unifiedDiff(text, after, { oldName: job.name, newName: job.name }) } };
    }
    case 'edit-list': {
      const outcome = applyEditList(text, job.edits, rememberedText(job), path, onRegex);
      if ('refusal' in outcome) return { result: outcome };
      const { text: after, results, splices } = outcome;
      const { name, context = 3 } = job;
      const diff = unifiedDiff(text, after, { oldName: name, newName: name, context });
      if (isUtf8(job)) return { ...(!job.dryRun && { after }), result: { results, diff } };
      return { after, parts: partsOfEdits(text, bom, splices), result: { results, diff } };
    }
    case 'insert': {
      const { text: after, ...result } = insertLines(text, job.insertion, path);
      return { after, result };
    }
    case 'line-diffs': {
      const { text: after, ...result } = applyLineDiffs(text, job.diffs, job.options, path);
      return { after, result };
    }
    case 'append': {
      const added = withLineEnding(job.content, lineEndingOf(text));
      return { after: text + added, result: { bytes: Buffer.byteLength(added) } };
    }
    case 'patch': {
      const patched = applyPatch(parsePatch(job.patch), bom ? BOM + text : text, path);
      if ('deleted' in patched) return { result: { deleted: true } };
      const { text: after, bom: marked } = textContent(patched.text);
      return { after, marked, result: { deleted: false } };
    }
    case 'planned-file': {
      const planned = applyPlan(job.plan, bom ? BOM + text : text);
      const { text: after, bom: marked } = textContent(planned.text);
      return { after, marked, parts: planned.parts, result: {} };
    }
  }
}

function isUtf8({ encoding = UTF8 }: Rewriting): boolean {
  return encoding.charset === 'utf-8';
}

/** What was read may have been in another encoding than the file is now. */
function rememberedText({ remembered, encoding = UTF8 }: Rewriting & { kind: 'edit-list' }) {
  if (remembered === undefined) return undefined;
  const judged = encodingOf(remembered, () => encoding.charset);
  return 'notText' in judged ? undefined : decode(asBuffer(remembered), judged);
}

/** With the mark, which no edit touches. */
function partsOfEdits(text: string, bom: boolean, splices: readonly Splices[]): readonly Part[] {
  let length = text.length;
  let parts: readonly Part[] = [{ from: 0, to: length }];
  for (const each of splices) {
    parts = composed(parts, partsOf(length, each));
    for (const { start, end, text: put } of each) length += put.length - (end - start);
  }
  if (!bom) return parts;
  return [
    { from: 0, to: 1 },
    ...parts.map((part) => ('text' in part ? part : { from: part.from + 1, to: part.to + 1 })),
  ];
}
