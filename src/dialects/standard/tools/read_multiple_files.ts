import { EngineFailure, type Failure } from '../../../engine/index.ts';
import { budgetOf, nextCall } from '../../budget.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { strings } from '../../schema.ts';
import { failureText } from '../failures.ts';
import { readText } from '../read-text.ts';

export const readMultipleFiles = defineTool({
  name: 'read_multiple_files',
  title: 'Read Multiple Files',
  description: 'Read several text files at once. One that fails shows its error; the others still come.',
  hints: hints.readOnly,
  input: { type: 'object', properties: { paths: { ...strings, minItems: 1 } }, required: ['paths'] },
  async run({ paths }, context) {
    const files: FileText[] = [];
    let room = budgetOf(context);
    for (const [index, path] of paths.entries()) {
      const left = JSON.stringify(paths.slice(index));
      if (index > 0 && room < path.length + OVERHEAD + Buffer.byteLength(left)) {
        const next = nextCall('read_multiple_files', { paths: paths.slice(index) });
        files.push({ text: `[${paths.length - index} more files; ${next}]` });
        break;
      }
      // What short files leave goes to those that come after them.
      const share = Math.max(0, Math.floor(room / (paths.length - index)) - path.length - OVERHEAD);
      const file = await textOf(path, share, context);
      files.push(file);
      room -= Buffer.byteLength(file.text) + SEPARATOR.length;
    }
    return files;
  },
  render: (files) => ({
    result: { content: [{ type: 'text', text: files.map(({ text }) => text).join(SEPARATOR) }] },
    failure: files.every(({ failure }) => failure) ? files[0]!.failure : undefined,
  }),
});

const SEPARATOR = '\n---\n';
/** The lines around a file's text: its path, and how it goes on. */
const OVERHEAD = 200;

interface FileText {
  text: string;
  failure?: Failure;
}

async function textOf(path: string, bytes: number, context: ToolContext): Promise<FileText> {
  try {
    const { answer } = await readText('read_text_file', { path }, context, bytes);
    return { text: `${path}:\n${answer}\n` };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind === 'cancelled') throw error;
    const { facts } = error;
    return { text: `${path}: Error - ${failureText(facts, 'read_text_file', context)}`, failure: facts };
  }
}
