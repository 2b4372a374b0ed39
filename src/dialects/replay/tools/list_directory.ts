import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../one-line.ts';
import { expandHome } from '../paths.ts';

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List directory',
  description: 'List a directory: one entry per line, prefixed [FILE] or [DIR].',
  hints: hints.looks,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute directory path' } },
    required: ['path'],
  },
  run: ({ path }, { engine, home }) => engine.list(expandHome(path, home)),
  render: (entries) =>
    entries
      .map(({ name, target }) => `${target === 'directory' ? '[DIR]' : '[FILE]'} ${onOneLine(name)}`)
      .join('\n'),
});
