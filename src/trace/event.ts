/** One event of the Tool Trace: what a call did and how it went, never what was in the files. */

import type { PathAccess } from '../engine/caller.ts';

export type { How } from '../engine/caller.ts';

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
  /** The first ones, what was changed or refused before what was only looked at; `morePaths` counts the rest. */
  paths: TracedPath[];
  morePaths?: number;
  outcome: 'ok' | 'failed';
  /** The kind of failure, as the engine names it; `internal` for a fault of the server. */
  error?: string;
  ms: number;
  bytesIn: number;
  bytesOut: number;
  /** An estimate. */
  tokensOut: number;
  /** What is to be noticed: `later-executed` when a file was changed that other programs run later. */
  flags?: string[];
  /** What stood around a command. */
  layers?: string[];
  /** Whether the system itself confined the command. */
  confined?: boolean;
  /** What is to be known besides, as that a tree was too large to look for changes. */
  note?: string;
  /** The journal's entries that the call made. */
  entries?: string[];
  /** Only with --trace-contents, clipped. */
  arguments?: string;
  answer?: string;
}
