/** Reads the body of a request, within the limits on its size and on the memory of all bodies. */
import type { IncomingMessage } from 'node:http';
import type { Refusal } from './reply.ts';

export type Body = { parts: Buffer[]; bytes: number } | { refusal: Refusal } | { gone: true };

/** A limit on the memory that many requests share. */
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

  release(bytes: number): void {
    this.#left += bytes;
  }
}

/** The caller releases the memory of a body that was read; if reading fails, this function has released it. */
export function readBody(request: IncomingMessage, limit: number, memory: MemoryBudget): Promise<Body> {
  if (Number(request.headers['content-length']) > limit) return Promise.resolve({ refusal: tooLarge(limit) });
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    let isSettled = false;
    // Leave the listeners on: removing them takes longer than reading a short body.
    const settle = (body: Body) => {
      if (isSettled) return;
      isSettled = true;
      if (!('parts' in body)) memory.release(bytes);
      resolve(body);
    };
    const add = (part: Buffer) => {
      if (isSettled) return;
      if (bytes + part.length > limit) {
        settle({ refusal: tooLarge(limit) });
        return;
      }
      if (!memory.take(part.length)) {
        settle({
          refusal: { status: 503, retryAfter: 1, message: 'Clients are sending too much at once: try again' },
        });
        return;
      }
      bytes += part.length;
      parts.push(part);
    };
    const finish = () => settle({ parts, bytes });
    const disconnect = () => settle({ gone: true });
    request.on('data', add).on('end', finish).on('close', disconnect).on('error', disconnect);
  });
}

function tooLarge(limit: number): Refusal {
  return {
    status: 413,
    message: `The body may have at most ${limit} bytes: the operator can raise --http-body`,
  };
}
