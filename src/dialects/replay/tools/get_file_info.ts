import { fail } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { expandHome } from '../paths.ts';

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
      `modified: ${isoTime(mtimeNs)}`,
      `permissions: ${mode.toString(8).padStart(3, '0')}`,
    ].join('\n'),
});

const LAST_DATE_MS = 8_640_000_000_000_000;

/** Some file systems store times beyond the last date that can be written: they show as that date. */
function isoTime(ns: bigint): string {
  return new Date(Math.min(Number(ns / 1_000_000n), LAST_DATE_MS)).toISOString();
}
