/** Reads the start of a file for read_file, as text or as base64. */
import { fail } from '../../engine/index.ts';
import type { ToolContext } from '../dialect.ts';
import { MAX_MESSAGE_BYTES } from '../results/result-size.ts';
import { hasBinaryExtension } from './binary-extensions.ts';
import { milliseconds } from './json-result.ts';
import { pathInside } from './paths.ts';
import { settingOf } from './settings.ts';

type ContentEncoding = 'utf-8' | 'base64';

interface ReadArguments {
  path: string;
  max_bytes: number;
  encoding: ContentEncoding;
}

export async function readContent(
  { path, max_bytes, encoding }: ReadArguments,
  { engine, settings, signal }: ToolContext,
) {
  await pathInside(engine, path);
  const limit = settingOf(settings, 'MAX_FILE_SIZE_BYTES');
  const most = Math.min(max_bytes, MAX_MESSAGE_BYTES);
  const start = await engine.files.readStart(path, { most, limit, signal });
  const { size, bytes, text, truncated, stat } = start;
  const content =
    encoding === 'base64' ? bytes.toString('base64') : hasBinaryExtension(path) ? undefined : text;
  if (content === undefined) return fail({ kind: 'not-text', path, why: 'not-utf8' });
  return { content, size, truncated, modifiedMs: milliseconds(stat.mtimeNs) };
}

/** Tells the caller that the answer does not hold all that it asked for. */
export function cutNote(content: string, encoding: ContentEncoding, size: number): string {
  const shown = Buffer.byteLength(content, encoding === 'base64' ? 'base64' : 'utf8');
  return `[cut: the first ${shown} of ${size} bytes, more do not fit into one answer; search_files finds lines after them]`;
}
