/** The answers to a batch as one JSON list that is no longer than a message may be. */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { MAX_MESSAGE_BYTES } from '../../../dialects/results/result-size.ts';
import { bytesIn, type Json } from './json-in-turns.ts';
import { idOf } from './json-rpc.ts';
import { tooLarge } from './messages.ts';

export interface Answer {
  message: JSONRPCMessage;
  json: Json;
}

/**
 * An answer that does not fit beside the others gives way to an error: every request gets an answer. The longest give
 * way, which are of calls that read: what a call has changed takes few words, and must not count as failed.
 */
export function answerList(answers: readonly Answer[]): Json {
  const sized = answers.map(({ message, json }) => {
    const refusal = tooLarge(idOf(message));
    return { json, refusal, least: bytesIn(refusal), more: bytesIn(json) - bytesIn(refusal) };
  });
  // Each with the comma or the bracket after it. There is room for the refusals of all from the start.
  let bytes = sized.reduce((sum, { least }) => sum + least + 1, 1);
  const refused = new Set<object>();
  for (const each of sized.toSorted((a, b) => a.more - b.more)) {
    if (each.more > 0 && bytes + each.more > MAX_MESSAGE_BYTES) refused.add(each);
    else bytes += each.more;
  }
  return joined(sized.map((each) => (refused.has(each) ? each.refusal : each.json)));
}

/** One text when all are texts: that goes out in one write. */
function joined(list: readonly Json[]): Json {
  if (list.every((json) => typeof json === 'string')) return `[${list.join(',')}]`;
  const pieces: Buffer[] = [];
  for (const [index, json] of list.entries()) {
    pieces.push(Buffer.from(index === 0 ? '[' : ','));
    if (typeof json === 'string') pieces.push(Buffer.from(json));
    else pieces.push(...json);
  }
  pieces.push(Buffer.from(']'));
  return pieces;
}
