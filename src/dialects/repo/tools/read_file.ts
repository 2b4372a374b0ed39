import { fail } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { MAX_MESSAGE_BYTES } from '../../results/result-size.ts';
import { timestamp } from '../../results/timestamp.ts';
import { hasBinaryExtension } from '../binary-extensions.ts';
import { jsonResult, milliseconds, startThatFits } from '../json-result.ts';
import { pathInside } from '../paths.ts';
import { settingOf } from '../settings.ts';

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read file',
  description:
    'Read a file of the repository: text as UTF-8, binary files with encoding "base64". When truncated is true, the file goes on behind max_bytes.',
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
  async run({ path, max_bytes, encoding }, { engine, settings, signal }) {
    await pathInside(engine, path);
    const limit = settingOf(settings, 'MAX_FILE_SIZE_BYTES');
    const most = Math.min(max_bytes, MAX_MESSAGE_BYTES);
    const start = await engine.files.readStart(path, { most, limit, signal });
    const { size, bytes, text, truncated, stat } = start;
    const content =
      encoding === 'base64' ? bytes.toString('base64') : hasBinaryExtension(path) ? undefined : text;
    if (content === undefined) return fail({ kind: 'not-text', path, why: 'not-utf8' });
    return { content, size, truncated, modifiedMs: milliseconds(stat.mtimeNs) };
  },
  async render({ content: read, size, truncated, modifiedMs }, { path, encoding }, note) {
    const content = await startThatFits(read);
    const cut = content.length < read.length;
    if (cut) {
      const shown = Buffer.byteLength(content, encoding === 'base64' ? 'base64' : 'utf8');
      note(
        `[cut: the first ${shown} of ${size} bytes, more do not fit into one answer; search_files finds lines behind them]`,
      );
    }
    return jsonResult({
      path,
      content,
      size,
      modified_at: timestamp(modifiedMs),
      encoding,
      truncated: truncated || cut,
    });
  },
});
