/** What is sent to the worker that changes texts, and what it answers. */
import type { Failure } from '../../failures.ts';
import type { RewriteJob } from '../../text/rewrite.ts';

export interface TextJob {
  job: RewriteJob;
  bytes: Uint8Array | undefined;
}

/** `bytes` is the new content, if there is one. */
export type TextAnswer = { bytes: Uint8Array | undefined; result: unknown } | { failure: Failure };
