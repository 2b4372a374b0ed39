/** Reads many files one by one. A file that cannot be read shows its error in place of its content. */
import { EngineFailure, type Failure, type FileContent, fail } from '../../engine/index.ts';
import { expandHome } from '../../expand-home.ts';
import { type Content, type ToolContext, text } from '../dialect.ts';
import { bytesAsJson, MAX_MESSAGE_BYTES, MAX_TEXT_BYTES } from '../results/result-size.ts';
import { PART_OF_A_FILE, replayError } from './failures.ts';

interface OneRead {
  content: Content;
  failure?: Failure;
}

export async function readEach(paths: readonly string[], context: ToolContext): Promise<OneRead[]> {
  const read: OneRead[] = [];
  let room = MAX_TEXT_BYTES;
  for (const path of paths) {
    const one = await readOne(path, context, room);
    read.push(one);
    room -= await bytesAsJson(one.content);
  }
  return read;
}

/** A file that no longer fits into the answer shows an error. The others are still read. */
async function readOne(path: string, { engine, signal, home }: ToolContext, room: number): Promise<OneRead> {
  try {
    const file = await engine.files.read(expandHome(path, home), { limit: MAX_TEXT_BYTES, signal });
    const content = contentOf(path, file);
    const bytes = await bytesAsJson(content);
    const instead = bytes > MAX_TEXT_BYTES ? PART_OF_A_FILE : 'Read it in a call of its own';
    if (bytes > room) fail({ kind: 'answer-too-large', path, bytes, limit: MAX_MESSAGE_BYTES, instead });
    return { content };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { facts } = error;
    return { content: text(`${path}:\n[error: ${replayError(facts).message}]`), failure: facts };
  }
}

function contentOf(path: string, { text: read, bytes, mimeType }: FileContent): Content {
  if (read !== undefined) return text(`${path}:\n${read}`);
  return { type: 'resource', resource: { uri: path, mimeType, blob: bytes.toString('base64') } };
}
