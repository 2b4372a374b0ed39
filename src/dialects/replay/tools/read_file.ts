import { pathToFileURL } from 'node:url';
import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';
import { MAX_TEXT_BYTES, requireFits } from '../../results/result-size.ts';
import { PART_OF_A_BINARY_FILE, PART_OF_A_FILE } from '../failures.ts';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description: 'Read a file. UTF-8 text comes as text, binary content as an embedded base64 resource.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path to the file' } },
    required: ['path'],
  },
  run: ({ path }, { engine, signal, home }) =>
    engine.files.read(expandHome(path, home), { limit: MAX_TEXT_BYTES, signal }),
  async render(file, { path }) {
    if (file.text !== undefined) return requireFits(file.text, () => PART_OF_A_FILE, path);
    const { href: uri } = pathToFileURL(file.path);
    const blob = await requireFits(file.bytes.toString('base64'), () => PART_OF_A_BINARY_FILE, path);
    return { content: [{ type: 'resource', resource: { uri, mimeType: file.mimeType, blob } }] };
  },
});
