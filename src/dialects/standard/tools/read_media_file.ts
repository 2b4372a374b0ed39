import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Content, defineTool, hints } from '../../dialect.ts';
import { pathOf } from '../paths.ts';
import { path } from '../schema.ts';

/** Base64 takes a third more room, and an answer holds at most 8 MiB. */
const MAX_BYTES = 5 * 1024 * 1024;

/** The types that the official server knows; anything else is a resource. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.bmp': 'image/bmp',
  '.svg': 'image/svg+xml',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.flac': 'audio/flac',
};

export const readMediaFile = defineTool({
  name: 'read_media_file',
  title: 'Read Media File',
  description: 'Read an image or audio file; any other file comes as an embedded resource. Up to 5 MiB.',
  hints: hints.readOnly,
  input: { type: 'object', properties: { path }, required: ['path'] },
  run: async ({ path }, context) =>
    context.engine.files.read(await pathOf(path, context), { limit: MAX_BYTES, signal: context.signal }),
  render: (file) => ({ content: [contentOf(file.path, file.bytes)] }),
});

function contentOf(path: string, bytes: Buffer): Content {
  const data = bytes.toString('base64');
  const mimeType = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource: { uri: pathToFileURL(path).href, mimeType, blob: data } };
}
