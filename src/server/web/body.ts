/** Takes in the body of a request: no more than allowed, as text that is really UTF-8. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { PARSE_ERROR } from '../mcp/json-rpc.ts';
import type { Refusal } from './reply.ts';

export type Body = { text: string; bytes: number } | { refusal: Refusal } | { gone: true };

/** Memory that many share, such as that for the bodies of all requests. */
export class MemoryBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#left += bytes;
  }
}

/** What was taken of the room is kept by a body that arrived, and given back otherwise. */
export function readBody(request: IncomingMessage, limit: number, room: MemoryBudget): Promise<Body> {
  if (Number(request.headers['content-length']) > limit) return Promise.resolve({ refusal: tooLarge(limit) });
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const settle = (body: Body) => {
      request.off('data', take).off('end', finish).off('close', leave).off('error', leave);
      if (!('text' in body)) room.giveBack(bytes);
      resolve(body);
    };
    const take = (part: Buffer) => {
      if (bytes + part.length > limit) {
        settle({ refusal: tooLarge(limit) });
        return;
      }
      if (!room.take(part.length)) {
        settle({
          refusal: { status: 503, retryAfter: 1, message: 'Too much is being sent at once: try again' },
        });
        return;
      }
      bytes += part.length;
      parts.push(part);
    };
    const finish = () => settle(asText(parts, bytes));
    const leave = () => settle({ gone: true });
    request.on('data', take).once('end', finish).once('close', leave).once('error', leave);
  });
}

function asText(parts: readonly Buffer[], bytes: number): Body {
  const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  if (isUtf8(all)) return { text: all.toString('utf8'), bytes };
  return { refusal: { status: 400, code: PARSE_ERROR, message: 'Parse error: the body is not valid UTF-8' } };
}

function tooLarge(limit: number): Refusal {
  return {
    status: 413,
    message: `The body may have at most ${limit} bytes: the operator can raise --http-body`,
  };
}
