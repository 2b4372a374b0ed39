import { defineTool, hints } from '../../dialect.ts';
import { timestamp } from '../../results/timestamp.ts';
import { jsonResult, startThatFits } from '../json-result.ts';
import { cutNote, readContent } from '../read-content.ts';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description:
    'Read a file of the repository: text as UTF-8, binary files with encoding "base64". When truncated is true, the file continues after max_bytes.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'File path relative to the repository root' },
      max_bytes: { type: 'integer', minimum: 0, default: 100_000, description: 'Maximum bytes to read' },
      encoding: {
        type: 'string',
        enum: ['utf-8', 'base64'],
        default: 'utf-8',
        description: 'Output encoding',
      },
    },
    required: ['path'],
  },
  run: readContent,
  async render({ content: read, size, truncated, modifiedMs }, { path, encoding }, note) {
    const content = await startThatFits(read);
    const isCut = content.length < read.length;
    if (isCut) note(cutNote(content, encoding, size));
    const modified_at = timestamp(modifiedMs);
    return jsonResult({ path, content, size, modified_at, encoding, truncated: truncated || isCut });
  },
});
