/** The worker thread for large texts and regex edits: takes one job at a time, and answers with its result. */
import { parentPort, workerData } from 'node:worker_threads';
import { provideConverter } from '../../charset/converter.ts';
import { EngineFailure } from '../../failures.ts';
import { boundThreadHeap, tidyHeap } from '../../heap.ts';
import { withPackedSteps } from '../../text/patch/planned-files.ts';
import { type RewriteResults, rewrite } from '../../text/rewrite.ts';
import { type MessageChunk, packed, Unpacking } from './message-chunks.ts';
import type { TextAnswer, TextJob } from './text-job.ts';

const port = parentPort!;
provideConverter(() => Buffer.from(workerData as SharedArrayBuffer).toString('utf8'));
boundThreadHeap();

const unpacking = new Unpacking();
/** Sends the next chunk: the main thread takes one at a time. */
let sendNext = () => {};

type MessageToWorker = { message: unknown } | { chunk: MessageChunk } | { more: true };

port.on('message', (sent: MessageToWorker) => {
  if ('more' in sent) sendNext();
  else if ('chunk' in sent) unpacking.add(sent.chunk);
  else void answer(unpacking.unpacked(sent.message) as TextJob);
});

async function answer({ job, bytes }: TextJob): Promise<void> {
  const whole = answerTo(job, bytes);
  const after = 'bytes' in whole ? whole.bytes : undefined;
  const packing = packed(whole, after);
  let next = packing.next();
  for (; !next.done; next = packing.next()) {
    const { value: chunk } = next;
    await new Promise<void>((resolve) => {
      sendNext = resolve;
      port.postMessage({ chunk });
    });
  }
  // The buffer is transferred, not copied: it cannot be used here any more.
  const buffer = after?.buffer;
  port.postMessage({ answer: next.value }, buffer instanceof ArrayBuffer ? [buffer] : []);
  tidyHeap();
}

function answerTo(job: TextJob['job'], bytes: Uint8Array | undefined): TextAnswer {
  try {
    const { bytes: after, result } = rewrite(job, bytes, () => port.postMessage({ begins: true }));
    if (job.kind === 'plan-patch') return { bytes: after, result: packedPlans(result as PatchPlans) };
    // Copied, because a small buffer is a part of a pool that others share.
    return { bytes: after && new Uint8Array(after), result };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { failure: error.facts };
  }
}

type PatchPlans = RewriteResults['plan-patch'];

function packedPlans({ plans }: PatchPlans): PatchPlans {
  return { plans: plans.map(withPackedSteps) };
}
