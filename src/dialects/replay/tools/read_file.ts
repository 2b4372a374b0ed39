import { pathToFileURL } from 'node:url';
import { defineTool, hints } from '../../dialect.ts';
import { expandHome } from '../paths.ts';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description: 'Read a file. UTF-8 text comes as text, binary content as an embedded base64 resource.',
  hints: hints.looks,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path to the file' } },
    required: ['path'],
  },
  run: ({ path }, { engine, signal, home }) => engine.read(expandHome(path, home), { signal }),
  render(file) {
    if (file.text !== undefined) return file.text;
    const { href: uri } = pathToFileURL(file.path);
    const blob = file.bytes.toString('base64');
    return { content: [{ type: 'resource', resource: { uri, mimeType: file.mimeType, blob } }] };
  },
});
