/** The engine's front door: what dialects, the command line and users of the library may use. */

export { openState, type StateSource } from '../state/directory/open.ts';
export { asStateProblem, StateProblem, whyNotStateDirectory } from '../state/directory/state-directory.ts';
export type { StoreCall } from './api/changing.ts';
export { type CommandSettings, shellExitCode } from './api/commands.ts';
export type { PatchResult } from './api/files.ts';
export type { EntryFilter, HistoryApi, UndoOptions, UndoOutcome, UndoPlan } from './api/history.ts';
export type { Call } from './api/reading.ts';
export { type Arrival, anonymous, type Caller, type How, type PathAccess } from './caller.ts';
export type { EncodingRule } from './charset/declared.ts';
export { CHARSETS, charsetNamed } from './charset/names.ts';
export type { Stat } from './confine/directory/dir.ts';
export { requireShortPath } from './confine/long-path.ts';
export { noteProgram, ownPackage } from './confine/protect/own-package.ts';
export type { Protection } from './confine/protection.ts';
export { isWithin, type RootSpec } from './confine/roots.ts';
export { Engine, type EngineOptions, type RootInfo } from './engine.ts';
export {
  filteredInTurns,
  ITEMS_PER_CHECK,
  inTurns,
  joinedInTurns,
  mapInTurns,
  nextTurn,
  type Steps,
  sortedInTurns,
  splitInTurns,
  Yielder,
} from './event-loop.ts';
export { failureSentence, sentenceWithoutContents } from './failure-message.ts';
export {
  type ArgumentProblem,
  EngineFailure,
  type EntryType,
  type Failure,
  type FailureKind,
  fail,
  isFailure,
  type MatchMode,
  type NearMatch,
  type ReadOnlyReason,
} from './failures.ts';
export type { TextEdit } from './files/edit/text-editor.ts';
export type { PartRequest, TextPart } from './files/lines/read-part.ts';
export type { ListedEntry } from './files/list.ts';
export type { BelowEntry, ListAllOptions, ListingBelow } from './files/list-recursive.ts';
export { fileMimeType } from './files/read/mime.ts';
export type { FileContent } from './files/read/read.ts';
export type { FileStart, StartOptions } from './files/read/read-start.ts';
export { shortContentHash } from './files/read/short-content-hash.ts';
export type { TreeNode } from './files/tree.ts';
export { isGlob, requireFewGlobs, requireShortGlob } from './glob/glob.ts';
export { residualGlobs } from './glob/residual-glob.ts';
export { ownHeap } from './heap-owner.ts';
export {
  type CopiedJournal,
  type CopyRefusal,
  copyJournal,
  isJournalEmpty,
} from './journal/copy/copy-journal.ts';
export { namedIn } from './journal/copy/named-lines.ts';
export {
  type Change,
  type EntryState,
  isMadeParent,
  type JournalEntry,
  type Origin,
} from './journal/entries/entry.ts';
export { whyLost } from './journal/entries/why-lost.ts';
export type { ForgetReport } from './journal/retention/forget.ts';
export type { ForgetRequest } from './journal/retention/forget-selection.ts';
export { defaultRetention, type RetentionLimits } from './journal/retention/retention-limits.ts';
export { limits } from './limits.ts';
export type { CommandCall } from './run/commands.ts';
export type { Confinement } from './run/confinement.ts';
export { readingCommandNames } from './run/policy/reading-command-names.ts';
export { rememberAncestors } from './run/process/ancestors.ts';
export type { RunResult } from './run/process/run.ts';
export { bubblewrapInstallCommand } from './run/sandbox/install-hint.ts';

export {
  blocksOf,
  type FileMatches,
  type FoundLine,
  type GrepQuery,
  type GrepResult,
  matchesWithContext,
  type WalkEntry,
} from './search/query.ts';
export type { Overview, WalkResult } from './search/search.ts';
export type { Sources } from './search/served-globs.ts';
export { History } from './stored-history.ts';
export { byBytes } from './text/byte-order.ts';
export { unifiedDiff } from './text/diff/unified-diff.ts';
export type { AnchoredLine, ClosestPlace, EditRefusal } from './text/edit/edit-refusal.ts';
export type { LineRange } from './text/edit/line-range.ts';
export type { Fit } from './text/edit/tolerant/fitting-places.ts';
export type { LineReplacement, ListedEdit, ListedEditResult } from './text/edit-list.ts';
export { countingLines, countLines, splitLines, splittingLines } from './text/encoding.ts';
export { lineHash } from './text/lines/anchors.ts';
export type { LineInsertion } from './text/lines/insert-lines.ts';
export type { LineDiff, LineDiffOptions, LineDiffResult } from './text/lines/line-diffs.ts';
export { hasSteps, type PlannedFile } from './text/patch/planned-files.ts';
export type { EditFacts, EditListResult, RewriteResults } from './text/rewrite.ts';
export { nearNames } from './text/similar.ts';
export type { Obstacle } from './undo/compare.ts';
export type { FileDiff } from './undo/diff.ts';
export { DiffBudget, MOST_LISTED } from './undo/diff-budget.ts';
