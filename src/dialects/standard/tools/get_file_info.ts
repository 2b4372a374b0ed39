import { countingLines, inTurns, shortContentHash, Yielder } from '../../../engine/index.ts';
import { defineTool, hints, type ToolContext } from '../../dialect.ts';
import { pathOf } from '../paths.ts';
import { path } from '../schema.ts';

export const getFileInfo = defineTool({
  name: 'get_file_info',
  title: 'Get File Info',
  description: 'Size, times, type and permissions; of a text file also the number of lines and the hash.',
  hints: hints.readOnly,
  input: { type: 'object', properties: { path }, required: ['path'] },
  async run({ path }, context) {
    const target = await pathOf(path, context);
    const stat = await context.engine.files.info(target);
    const isFile = stat.type === 'file';
    return { stat, content: isFile ? await contentLines(target, stat.size, context) : [] };
  },
  render: ({ stat, content }) =>
    [
      `size: ${stat.size}`,
      `created: ${new Date(stat.birthtimeMs)}`,
      `modified: ${new Date(Number(stat.mtimeNs / 1_000_000n))}`,
      `accessed: ${new Date(stat.atimeMs)}`,
      `isDirectory: ${stat.type === 'directory'}`,
      `isFile: ${stat.type === 'file'}`,
      `permissions: ${(stat.mode & 0o777).toString(8).padStart(3, '0')}`,
      ...content,
    ].join('\n'),
});

/** Counting the lines of a larger file would take too long. */
const MAX_BYTES = 16 * 1024 * 1024;

async function contentLines(path: string, size: number, { engine, signal }: ToolContext): Promise<string[]> {
  if (size > MAX_BYTES) return [];
  const { text, bytes } = await engine.files.readDecoded(path, { signal });
  if (text === undefined) return [];
  const lines = await inTurns(countingLines(text), new Yielder(signal));
  return [`lines: ${lines}`, `hash: ${await shortContentHash(bytes)}`];
}
