/**
 * Every way an operation can fail, as facts and never as prose.
 *
 * The engine throws one `EngineFailure` that carries one of these facts; each dialect turns them into its
 * own words and codes with an exhaustive switch, so that a new kind breaks the build wherever it needs words.
 */

import { failureMessage } from './failure-message.ts';

/** What is at a path. `special` is a FIFO, a socket or a device: it is never opened. */
export type EntryType = 'file' | 'directory' | 'symlink' | 'special';

/** How an edit looked for its text. */
export type MatchMode = 'exact' | 'indent' | 'ignore-case' | 'regex';

/** A place where the text that was looked for occurs, or nearly occurs: 1-based line numbers. */
export interface NearMatch {
  line: number;
  text: string;
}

/**
 * Why something cannot be changed: the whole server or the directory was given as read-only, it is part of the running
 * program, it is configuration from which Git runs programs, it is the file that says what is hidden, or it is the file
 * by which the servers of a fleet know the directory.
 */
export type ReadOnlyReason = 'server' | 'directory' | 'program' | 'git' | 'ignore-file' | 'workspace-file';

export type Failure =
  // Paths
  | { kind: 'outside'; path: string }
  | { kind: 'bad-path'; path: string; why: 'empty' | 'nul' | 'name-too-long' | 'too-deep' | 'link-loop' }
  | { kind: 'not-found'; path: string; wanted: 'file' | 'directory' | 'entry'; near: readonly string[] }
  | { kind: 'not-a-file'; path: string; found: 'directory' | 'special' }
  /** `through`: it is a component in the middle of the path that is not a directory. */
  | { kind: 'not-a-directory'; path: string; through?: true }
  | { kind: 'exists'; path: string; found: EntryType }
  | { kind: 'directory-not-empty'; path: string }
  | { kind: 'is-root'; path: string; action: 'delete' | 'move' | 'replace' }
  | { kind: 'into-itself'; path: string; destination: string }
  | { kind: 'read-only'; path: string; why: ReadOnlyReason }
  /** The owner of the server denies the path, or something in it: `holds` is that, relative to the path. */
  | { kind: 'denied'; path: string; holds?: string }
  /**
   * A hidden name must not be made, or a directory holds one. The words of a dialect must not reveal that there is such
   * a name.
   */
  | { kind: 'withheld'; path: string; action: 'create' | 'move' | 'delete' }
  | { kind: 'permission'; path: string; action: string }
  | { kind: 'unstable'; path: string }
  | { kind: 'io'; path: string; action: string; code: string }
  // Contents
  | { kind: 'too-large'; path: string; size: number; limit: number; action: 'read' | 'write' | 'edit' }
  | { kind: 'not-text'; path: string; why: 'not-utf8' | 'nul' }
  /** The encoding of the file lacks this character. Line and column, from 1, are those of the new text. */
  | {
      kind: 'not-encodable';
      path: string;
      charset: string;
      character: string;
      line: number;
      column: number;
      /** The encoding has the character, but a broken character before it would take its bytes. */
      isBroken?: true;
    }
  | { kind: 'line-out-of-range'; path: string; line: number; lines: number }
  /** `hash` is set when the caller expected another one: it is the hash of the present content. */
  | { kind: 'changed-meanwhile'; path: string; hash?: string }
  | { kind: 'busy'; path: string }
  /** The database that keeps the history of several machines cannot be reached: the path was not changed. */
  | { kind: 'state-unavailable'; path: string }
  // Edits: `edit` is the 1-based position in the call's list
  | {
      kind: 'no-match';
      path: string;
      edit: number;
      needle: string;
      mode: MatchMode;
      near: readonly NearMatch[];
    }
  | {
      kind: 'not-unique';
      path: string;
      edit: number;
      needle: string;
      mode: 'exact' | 'indent' | 'ignore-case';
      count: number;
      lines: readonly number[];
    }
  | { kind: 'unexpected-count'; path: string; expected: number; count: number }
  | { kind: 'bad-group-reference'; path: string; edit: number; reference: string; groups: number }
  // Patches and line diffs: `hunk` is 1-based
  | { kind: 'bad-patch'; reason: string; line: number }
  | {
      kind: 'hunk-mismatch';
      path: string;
      hunk: number;
      line: number;
      expected: readonly string[];
      found: readonly string[];
      elsewhere: readonly number[];
      /** The hunk fits at two lines that are equally near to the one that it states. */
      equallyNear?: readonly [number, number];
      /** Where the lines that the hunk would produce are already, if they occur once. */
      appliedAt?: number | undefined;
    }
  | { kind: 'overlap'; path: string; first: number; second: number }
  // Patterns
  | { kind: 'bad-regex'; pattern: string; reason: string }
  | { kind: 'bad-glob'; pattern: string; reason: string }
  | { kind: 'timeout'; what: 'regex' | 'search'; ms: number }
  | { kind: 'no-glob-match'; pattern: string }
  // Commands
  | { kind: 'command-not-allowed'; command: string; allowed: readonly string[] }
  | { kind: 'argument-not-allowed'; command: string; argument: string; reason: string; instead?: string }
  | { kind: 'command-not-installed'; command: string }
  | { kind: 'no-sandbox'; reason: string }
  // Calls
  | { kind: 'bad-arguments'; problems: readonly ArgumentProblem[] }
  /** The answer would have more bytes than a message may; `instead` says how to ask for a part. */
  | { kind: 'answer-too-large'; bytes: number; limit: number; instead: string; path?: string }
  | { kind: 'no-workspace' }
  | { kind: 'cancelled' };

/** One problem with a call's arguments. `missing` tells an absent field from a wrong one. */
export interface ArgumentProblem {
  /** The field as a dotted path: `edits[0].oldText`; empty for the arguments as a whole. */
  field: string;
  missing: boolean;
  message: string;
}

export type FailureKind = Failure['kind'];

/** The one error that the engine throws. Its message is for people; programs read the facts. */
export class EngineFailure extends Error {
  readonly facts: Failure;

  constructor(facts: Failure, cause?: unknown) {
    super(failureMessage(facts), cause === undefined ? undefined : { cause });
    this.name = 'EngineFailure';
    this.facts = facts;
  }
}

/**
 * Whether an error is a failure of the engine, and of one of these kinds if any are named. Its facts are then those of
 * that kind: `if (isFailure(error, 'not-unique')) console.log(error.facts.lines)`.
 */
export function isFailure<K extends FailureKind = FailureKind>(
  error: unknown,
  ...kinds: readonly K[]
): error is EngineFailure & { readonly facts: Extract<Failure, { kind: K }> } {
  if (!(error instanceof EngineFailure)) return false;
  return kinds.length === 0 || (kinds as readonly FailureKind[]).includes(error.facts.kind);
}

export function failIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) fail({ kind: 'cancelled' });
}

export function fail(facts: Failure, cause?: unknown): never {
  throw new EngineFailure(facts, cause);
}
