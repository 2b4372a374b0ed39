/** One event of the Tool Trace: what a call did and how it went, never what was in the files. */

import type { PathAccess } from '../../engine/caller.ts';

export type { How } from '../../engine/caller.ts';

/** An argument, or only the length of a text or list that is not recorded. A text that was cut ends with `…`. */
export type BriefValue = string | number | boolean | string[] | { characters: number } | { items: number };
export type Brief = Record<string, BriefValue>;

/** What a call did at one path, or was not allowed to do. */
export type TracedPath = PathAccess;

export interface TraceEvent {
  /** A unique id: the server's id and a number that grows. */
  id: string;
  /** When the call came, in milliseconds since 1970. */
  at: number;
  /** The id of the server process. */
  server: string;
  /** The served directories. */
  roots: string[];
  session?: string;
  /** The name of the token. */
  who?: string;
  dialect: string;
  tool: string;
  /** The first paths that the call touched, those changed or refused before others. `morePaths` counts the rest. */
  paths: TracedPath[];
  morePaths?: number;
  outcome: 'ok' | 'failed';
  /** The kind of failure, as the engine names it; `internal` for a defect of the server. */
  error?: string;
  /** Why it failed, in one sentence that quotes no content. */
  reason?: string;
  /** A summary of the arguments, without contents and secrets. */
  brief?: Brief;
  ms: number;
  bytesIn: number;
  bytesOut: number;
  /** An estimate. */
  tokensOut: number;
  /** What deserves attention: `later-executed` when the call changed a file that other programs run later. */
  flags?: string[];
  /** The names of the measures that confined a command. */
  confinement?: string[];
  /** Whether the system itself confined the command. */
  confined?: boolean;
  /** Anything else worth knowing, such as that a tree was too large to look for changes. */
  note?: string;
  /** The ids of the journal entries that the call made. */
  entries?: string[];
  /** The arguments as JSON, truncated; only with --trace-contents. */
  arguments?: string;
  /** What the model gets to read, truncated; only with --trace-contents. */
  answer?: string;
}
