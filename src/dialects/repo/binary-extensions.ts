/** File extensions that are never read as text, whatever the file holds. */
import { extname } from 'node:path';

const BINARY_EXTENSIONS = new Set([
  ...['.png', '.jpg', '.jpeg', '.gif', '.ico', '.webp', '.bmp'],
  ...['.zip', '.tar', '.gz', '.bz2', '.7z', '.rar'],
  ...['.exe', '.dll', '.so', '.dylib', '.wasm'],
  ...['.pyc', '.class', '.o', '.obj'],
  ...['.woff', '.woff2', '.ttf', '.otf', '.eot'],
  ...['.mp3', '.mp4', '.wav', '.avi', '.mov'],
  ...['.sqlite', '.db', '.pdf'],
]);

export function hasBinaryExtension(path: string): boolean {
  return BINARY_EXTENSIONS.has(extname(path).toLowerCase());
}
