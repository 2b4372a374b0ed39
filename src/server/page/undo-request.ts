/** Reads the body of a request to undo an entry: whether obstacles may be overridden. */
import { readJsonAtOnce } from '../mcp/messages/json-reader.ts';
import { type MemoryBudget, readBody } from '../web/body.ts';
import type { Refusal, Reply } from '../web/reply.ts';

const MAX_BODY_BYTES = 4096;

/** Undefined if the client has disconnected. */
export async function readUndoRequest(
  { reply, expectsContinue }: { reply: Reply; expectsContinue: boolean },
  memory: MemoryBudget,
): Promise<{ force: boolean } | Refusal | undefined> {
  const { request, response } = reply;
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return { status: 415, message: 'The body must be sent as Content-Type: application/json' };
  if (expectsContinue) response.writeContinue();
  const body = await readBody(request, MAX_BODY_BYTES, memory);
  if ('gone' in body) return undefined;
  if ('refusal' in body) return body.refusal;
  memory.release(body.bytes);
  const force = forceOf(body.parts);
  return force === undefined
    ? { status: 400, message: 'The body must be {"force": true} or {"force": false}' }
    : { force };
}

function forceOf(parts: readonly Buffer[]): boolean | undefined {
  try {
    const { force } = readJsonAtOnce(parts) as { force?: unknown };
    return typeof force === 'boolean' ? force : undefined;
  } catch {
    return undefined;
  }
}
