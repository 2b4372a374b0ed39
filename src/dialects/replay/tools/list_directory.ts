import { mapInTurns, Yielder } from '../../../engine/index.ts';
import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';
import { onOneLine } from '../../results/one-line.ts';
import { listThatFits } from '../../results/result-size.ts';

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List directory',
  description: 'List a directory: one entry per line, prefixed [FILE] or [DIR].',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute directory path' } },
    required: ['path'],
  },
  async run({ path }, { engine, signal, home }) {
    const entries = await engine.files.list(expandHome(path, home), { signal });
    return mapInTurns(
      entries,
      new Yielder(signal),
      ({ name, target }) => `${target === 'directory' ? '[DIR]' : '[FILE]'} ${onOneLine(name)}`,
    );
  },
  render: (lines, _, note) =>
    listThatFits(lines, {
      entries: 'entries',
      instead: 'glob_search with globs like "a*" lists a part of them',
      note,
    }),
});
