/** What is sent to the worker that changes texts, and what comes back. */
import type { Failure } from '../../failures.ts';
import type { Rewriting } from '../../text/rewrite.ts';

export interface TextJob {
  job: Rewriting;
  bytes: Uint8Array | undefined;
}

/** `bytes` is the new content, where there is one. */
export type TextAnswer = { bytes: Uint8Array | undefined; result: unknown } | { failure: Failure };
