/** The engine's front door: what dialects, the command line and users of the library may use. */
export { type Access, type Caller, type How, nobody } from './caller.ts';
export { type CommandSettings, exitCodeOf } from './command-desk.ts';
export type { Stat } from './confine/dir.ts';
export { ownPackage } from './confine/own-package.ts';
export type { Protection } from './confine/protection.ts';
export type { RootSpec } from './confine/roots.ts';
export {
  type Call,
  Engine,
  type PatchResult,
  type RootInfo,
  type StoreCall,
} from './engine.ts';
export {
  type ArgumentProblem,
  EngineFailure,
  type EntryType,
  type Failure,
  type FailureKind,
  fail,
  type MatchMode,
  type NearMatch,
  type ReadOnlyReason,
} from './failures.ts';
export type { BelowEntry, ListAllOptions, ListingBelow } from './files/below.ts';
export { Breathing, ITEMS_A_LOOK, mapInTurns, sortedInTurns } from './files/breathing.ts';
export type { FileContent } from './files/contents.ts';
export type { TextEdit } from './files/editing.ts';
export type { ListedEntry, TreeNode } from './files/listing.ts';
export { byBytes } from './files/order.ts';
export type { FileStart, StartOptions } from './files/start.ts';
export { History } from './history.ts';
export type { EntryFilter, UndoOutcome, UndoPlan } from './history-desk.ts';
export type { Change, EntryState, JournalEntry, Origin } from './journal/entry.ts';
export type { FileDiff } from './journal/entry-diff.ts';
export type { ForgetRequest } from './journal/forget-selection.ts';
export type { Forgotten } from './journal/forgetting.ts';
export { type Keep, usualKeep } from './journal/keeping.ts';
export type { Obstacle } from './journal/standing.ts';
export { asStateProblem, StateProblem, whyNotStateDirectory } from './journal/state-directory.ts';
export { MOST_ENTRIES as mostWatchedEntries } from './journal/survey.ts';
export { limits } from './limits.ts';
export type { EngineOptions } from './opening.ts';
export { noteAncestors } from './run/ancestry.ts';
export type { CommandCall } from './run/commands.ts';
export type { Layer } from './run/layers.ts';
export { installCommand } from './run/package-managers.ts';
export { readingCommandNames } from './run/policy/reading-commands.ts';
export type { RunResult } from './run/run-command.ts';
export { isGlob } from './search/glob.ts';
export {
  blocksOf,
  type FileMatches,
  type FoundLine,
  type GrepQuery,
  type GrepResult,
  matchesWithContext,
  type WalkEntry,
} from './search/query.ts';
export { residualGlobs } from './search/residual-glob.ts';
export type { Overview, WalkResult } from './search/search.ts';
export { unifiedDiff } from './text/diff.ts';
export { countLines, splitLines } from './text/encoding.ts';
export type { LineInsertion } from './text/insert-lines.ts';
export type { LineDiff, LineDiffOptions, LineDiffResult } from './text/line-diffs.ts';
export type { LineRange } from './text/line-span.ts';
export type { EditFacts, RewriteResults } from './text/rewrite.ts';
export { nearNames } from './text/similar.ts';
