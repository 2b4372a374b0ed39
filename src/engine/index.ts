/** The engine's front door: what dialects, the command line and users of the library may use. */
export type { Stat } from './confine/dir.ts';
export type { Protection } from './confine/protection.ts';
export type { RootSpec } from './confine/roots.ts';
export {
  type Call,
  type EditResult,
  Engine,
  type EngineOptions,
  type PatchResult,
  type RootInfo,
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
} from './failures.ts';
export type { FileContent } from './files/contents.ts';
export type { TextEdit } from './files/editing.ts';
export type { ListedEntry, TreeNode } from './files/listing.ts';
export { byBytes } from './files/order.ts';
export { limits } from './limits.ts';
export { unifiedDiff } from './text/diff.ts';
export { countLines, splitLines } from './text/encoding.ts';
