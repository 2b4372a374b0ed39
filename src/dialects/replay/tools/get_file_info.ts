import { fail } from '../../../engine/index.ts';
import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';
import { timestamp } from '../../results/timestamp.ts';

export const getFileInfo = defineTool({
  name: 'get_file_info',
  title: 'File info',
  description: 'Type, size, modification time and permissions of a file or directory.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path to a file or directory' } },
    required: ['path'],
  },
  async run({ path }, { engine, home }) {
    const info = await engine.files.info(expandHome(path, home));
    if (info.type === 'special') fail({ kind: 'not-a-file', path, found: 'special' });
    return info;
  },
  render: ({ type, size, mtimeNs, mode }) =>
    [
      `type: ${type}`,
      `size: ${size}`,
      `modified: ${timestamp(Number(mtimeNs / 1_000_000n))}`,
      `permissions: ${mode.toString(8).padStart(3, '0')}`,
    ].join('\n'),
});
