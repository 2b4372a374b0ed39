/** Between the paths of files and their URIs. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { requireShortPath } from '../../../engine/index.ts';

/** What every URI of a file looks like. */
export const TEMPLATE = 'file:///{+path}';

const FILE_URI = /^file:(?:\/\/(?:localhost)?)?(\/(?!\/).*)$/is;

export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/** The absolute path that a URI names; undefined when it is no `file:` URI of this machine. Fails for a long path. */
export function pathOf(uri: string): string | undefined {
  const [, written] = FILE_URI.exec(uri) ?? [];
  if (written === undefined) return undefined;
  requireShortPath(written);
  return resolve(unescaped(written));
}

/** Some clients put a path into the template as it is: then a `%` in it is nothing but a `%`. */
function unescaped(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
