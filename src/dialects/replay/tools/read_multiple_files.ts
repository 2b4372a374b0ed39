import { EngineFailure, type Failure } from '../../../engine/index.ts';
import { type Content, defineTool, hints, type ToolContext, text } from '../../dialect.ts';
import { replayError } from '../failures.ts';
import { expandHome } from '../paths.ts';

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  title: 'Read multiple files',
  description:
    'Read several files at once: one item per file, "path:" and then its content. A file that cannot be read shows as [error: ...]; the call itself does not fail.',
  hints: hints.looks,
  input: {
    type: 'object',
    properties: {
      paths: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: 50,
        description: 'Literal absolute file paths (max 50; globs not expanded)',
      },
    },
    required: ['paths'],
  },
  run: async ({ paths }, context) => {
    const read: OneRead[] = [];
    for (const path of paths) read.push(await readOne(path, context));
    return read;
  },
  render: (read) => ({
    answer: { content: read.map(({ content }) => content) },
    failure: read.every(({ failure }) => failure) ? read[0]!.failure : undefined,
  }),
});

interface OneRead {
  content: Content;
  failure?: Failure;
}

async function readOne(path: string, { engine, signal, home }: ToolContext): Promise<OneRead> {
  try {
    const file = await engine.read(expandHome(path, home), { signal });
    if (file.text !== undefined) return { content: text(`${path}:\n${file.text}`) };
    const blob = file.bytes.toString('base64');
    return { content: { type: 'resource', resource: { uri: path, mimeType: file.mimeType, blob } } };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { facts } = error;
    return { content: text(`${path}:\n[error: ${replayError(facts).message}]`), failure: facts };
  }
}
