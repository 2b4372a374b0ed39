/** The worker behind changes of large texts and regex edits: takes one job, answers with what comes of it. */
import { parentPort } from 'node:worker_threads';
import { EngineFailure } from '../../failures.ts';
import { rewrite } from '../../text/rewrite.ts';
import type { TextAnswer, TextJob } from './text-job.ts';

const port = parentPort!;

port.on('message', ({ job, bytes }: TextJob) => {
  const answer = answerTo(job, bytes);
  // What was sent is gone from here: nothing is copied.
  const buffer = 'bytes' in answer ? answer.bytes?.buffer : undefined;
  port.postMessage({ answer }, buffer instanceof ArrayBuffer ? [buffer] : []);
});

function answerTo(job: TextJob['job'], bytes: Uint8Array | undefined): TextAnswer {
  try {
    const { bytes: after, result } = rewrite(job, bytes, () => port.postMessage({ begins: true }));
    // A small buffer is a part of one that others share.
    return { bytes: after && new Uint8Array(after), result };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { failure: error.facts };
  }
}
