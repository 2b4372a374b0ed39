import { EngineFailure, type Failure, type FileContent, fail } from '../../../engine/index.ts';
import { type Content, defineTool, hints, type ToolContext, text } from '../../dialect.ts';
import { bytesAsJson, MAX_MESSAGE_BYTES, MAX_TEXT_BYTES } from '../../result-size.ts';
import { strings } from '../../schema.ts';
import { PART_OF_A_FILE, replayError } from '../failures.ts';
import { expandHome } from '../paths.ts';

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  title: 'Read multiple files',
  description:
    'Read several files at once: one item per file, "path:" and then its content. A file that cannot be read shows as [error: ...]; the call itself does not fail.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      paths: {
        ...strings,
        minItems: 1,
        maxItems: 50,
        description: 'Literal absolute file paths (max 50; globs not expanded)',
      },
    },
    required: ['paths'],
  },
  run: async ({ paths }, context) => {
    const read: OneRead[] = [];
    let room = MAX_TEXT_BYTES;
    for (const path of paths) {
      const one = await readOne(path, context, room);
      read.push(one);
      room -= await bytesAsJson(one.content);
    }
    return read;
  },
  render: (read) => ({
    result: { content: read.map(({ content }) => content) },
    failure: read.every(({ failure }) => failure) ? read[0]!.failure : undefined,
  }),
});

interface OneRead {
  content: Content;
  failure?: Failure;
}

/** A file that does not fit beside the others shows an error; the others still come. */
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
