/** Converts between the paths of files and their URIs. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireShortPath } from '../../../engine/index.ts';

/** The URI template of all files. */
export const TEMPLATE = 'file:///{+path}';

const FILE_URI = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/is;

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/** The absolute path that a URI names; undefined if it is not a `file:` URI of this machine. Fails for a long path. */
export function pathOf(uri: string): string | undefined {
  const [, written] = FILE_URI.exec(uri) ?? [];
  if (written === undefined) return undefined;
  requireShortPath(written);
  return resolve(unescaped(written));
}

/** Some clients put a path into the template without escaping it: then a `%` is just a `%`. */
function unescaped(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
