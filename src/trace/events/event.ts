/** One event of the Tool Trace: what a call did and how it went, never what was in the files. */

import type { PathAccess } from '../../engine/caller.ts';

export type { How } from '../../engine/caller.ts';

/** Of what is not recorded: how long a text or a list was. A text that was cut ends with `…`. */
export type BriefValue = string | number | boolean | string[] | { characters: number } | { items: number };
export type Brief = Record<string, BriefValue>;

/** What a call did at one path, or was not allowed to do. */
export type TracedPath = PathAccess;

export interface TraceEvent {
  /** Unique: the server's id and a number that grows. */
  id: string;
  /** When the call came, in milliseconds since 1970. */
  at: number;
  /** One for each process that serves. */
  server: string;
  /** The directories that are served. */
  roots: string[];
  session?: string;
  /** The name of the token. */
  who?: string;
  dialect: string;
  tool: string;
  /** The first ones, changed and refused ones before those only looked at; `morePaths` counts the rest. */
  paths: TracedPath[];
  morePaths?: number;
  outcome: 'ok' | 'failed';
  /** The kind of failure, as the engine names it; `internal` for a fault of the server. */
  error?: string;
  /** Why it failed, in one sentence that quotes no content. */
  reason?: string;
  /** The arguments in short, without contents and secrets. */
  brief?: Brief;
  ms: number;
  bytesIn: number;
  bytesOut: number;
  /** An estimate. */
  tokensOut: number;
  /** What deserves notice: `later-executed` when the call changed a file that other programs run later. */
  flags?: string[];
  /** The names of the measures that confined a command. */
  confinement?: string[];
  /** Whether the system itself confined the command. */
  confined?: boolean;
  /** Anything else worth knowing, such as that a tree was too large to look for changes. */
  note?: string;
  /** The journal's entries that the call made. */
  entries?: string[];
  /** Only with --trace-contents, truncated. */
  arguments?: string;
  answer?: string;
}
