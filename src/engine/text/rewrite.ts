/** Every way to compute a file's new content from its old one, from bytes to bytes. Runs in any thread. */
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
import { BOM, countLines, decodeForEdit, encode, type TextContent, textContent } from './encoding.ts';
import { lineEndingOf, withLineEnding } from './line-endings.ts';
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

/** What to do. `path` is for failures. `encoding` is that of the file; default: UTF-8. */
export type RewriteJob = { path: string; encoding?: Encoding | undefined } & (
  | { kind: 'edit'; edits: readonly TextEdit[] }
  /** Returns a diff of what the edits would change, and changes nothing. */
  | { kind: 'preview'; edits: readonly TextEdit[]; name: string }
  /** With `dryRun`, returns the diff and changes nothing. `name` is the file's name in the diff. */
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
  /** Reads a patch; if it creates the file, computes the content, too. Takes no old content. */
  | { kind: 'read-patch'; patch: string }
  | { kind: 'patch'; patch: string }
  /** Plans what a patch of several files does to each of them. Takes no old content. */
  | { kind: 'plan-patch'; patch: string }
  /** Applies the plan for one file of such a patch. Takes no old content if the patch adds the file. */
  | { kind: 'planned-file'; plan: PlannedFile }
  /** Compares the content with an earlier one, and changes nothing. */
  | { kind: 'diff'; before: ByteContent; after: Encoding; countsOnly: boolean }
);

/** The jobs that compute a new text. */
type TextRewriteJob = Exclude<RewriteJob, { kind: 'read-patch' | 'plan-patch' | 'diff' }>;

/** What each kind of job returns besides the new content. */
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

/** What the edits did, or why they were refused; then nothing changes. */
export type EditListResult =
  | { results: readonly ListedEditResult[]; diff: string }
  | Extract<EditListOutcome, { refusal: unknown }>;

export interface EditFacts {
  /** How many places each edit changed. */
  replacements: number[];
  /** How many lines the text had before. */
  lines: number;
}

export interface RewriteOutcome<R = unknown> {
  /** Undefined if there is no new content or it equals the old one. */
  bytes: Buffer | undefined;
  result: R;
}

export function rewrite(job: RewriteJob, bytes: Uint8Array | undefined, onRegex: () => void): RewriteOutcome {
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
  const { after, marked = decoded.bom, result } = rewriteText(job, decoded, onRegex);
  const isSame = after === decoded.text && marked === decoded.bom;
  if (after === undefined || isSame) return { bytes: undefined, result };
  return { bytes: encode({ text: after, bom: marked }), result };
}

/** Rewrites a file that is not UTF-8. Text that does not change keeps its bytes. */
function rewriteEncoded(
  job: TextRewriteJob,
  { charset, mark }: Encoding,
  bytes: Buffer,
  onRegex: () => void,
): RewriteOutcome {
  const whole = decodeUnmarked(bytes, charset);
  const text = mark ? whole.slice(1) : whole;
  const { after, marked = mark, parts, result } = rewriteText(job, { text, bom: mark }, onRegex);
  if (after === undefined || (after === text && marked === mark)) return { bytes: undefined, result };
  if (parts === undefined) return fail({ kind: 'not-text', path: job.path, why: 'not-utf8' });
  const changed = changedBytes(bytes, whole, parts, charset);
  if (Buffer.isBuffer(changed)) requireReadsAs(changed, charset, marked ? BOM + after : after, job.path);
  const isDry = job.kind === 'edit-list' && job.dryRun;
  if (Buffer.isBuffer(changed)) return { bytes: isDry ? undefined : changed, result };
  return failUnencodable(job.path, charset, marked ? BOM + after : after, changed);
}

/** Fails if the new bytes do not decode to `meant`: a broken character before a change can swallow new bytes. */
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

function readPatch(patch: string, path: string): RewriteOutcome<RewriteResults['read-patch']> {
  const parsed = parsePatch(patch);
  const result = { action: parsed.action, hunks: parsed.hunks.length };
  if (parsed.action !== 'create') return { bytes: undefined, result };
  const created = applyPatch(parsed, undefined, path);
  return { bytes: 'text' in created ? Buffer.from(created.text, 'utf8') : undefined, result };
}

function rewriteText(
  job: TextRewriteJob,
  { text, bom }: TextContent,
  onRegex: () => void,
): {
  after?: string;
  marked?: boolean;
  /** For files that are not UTF-8: which parts of the new text, with its byte-order mark, come from the old one. */
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

function isUtf8({ encoding = UTF8 }: RewriteJob): boolean {
  return encoding.charset === 'utf-8';
}

/** The remembered bytes may have another encoding than the file has now. */
function rememberedText({ remembered, encoding = UTF8 }: RewriteJob & { kind: 'edit-list' }) {
  if (remembered === undefined) return undefined;
  const judged = encodingOf(remembered, () => encoding.charset);
  return 'notText' in judged ? undefined : decode(asBuffer(remembered), judged);
}

/** The parts of the edited text with its byte-order mark, which no edit touches. */
function partsOfEdits(text: string, bom: boolean, splices: readonly Splices[]): readonly Part[] {
  let length = text.length;
  let parts: readonly Part[] = [{ from: 0, to: length }];
  for (const each of splices) {
    parts = composed(parts, partsOf(length, each));
    for (const { start, end, text: replacement } of each) length += replacement.length - (end - start);
  }
  if (!bom) return parts;
  return [
    { from: 0, to: 1 },
    ...parts.map((part) => ('text' in part ? part : { from: part.from + 1, to: part.to + 1 })),
  ];
}
