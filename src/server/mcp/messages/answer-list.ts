/** Writes the answers to a batch as one JSON list that is not longer than a message may be. */
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
 * Every request gets an answer. If the answers are too long together, errors replace the longest ones: those belong to
 * calls that read. The answer to a change is short, and must not be replaced: the change has not failed.
 */
export function answerList(answers: readonly Answer[]): Json {
  const sized = answers.map(({ message, json }) => {
    const refusal = tooLarge(idOf(message));
    return { json, refusal, least: bytesIn(refusal), more: bytesIn(json) - bytesIn(refusal) };
  });
  // Each answer counts with the comma or bracket after it. The sum starts with an error in place of every answer.
  let bytes = sized.reduce((sum, { least }) => sum + least + 1, 1);
  const refused = new Set<object>();
  for (const each of sized.toSorted((a, b) => a.more - b.more)) {
    if (each.more > 0 && bytes + each.more > MAX_MESSAGE_BYTES) refused.add(each);
    else bytes += each.more;
  }
  return joined(sized.map((each) => (refused.has(each) ? each.refusal : each.json)));
}

/** A single string if all answers are strings: the server sends it in one write. */
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
