/** A path within a text: short, and in full for who points at it. */
import { el } from './dom.ts';
import { shortPath } from './paths.ts';
import { seenPath } from './seen.ts';

export function pathView(roots: readonly string[], path: string): HTMLElement {
  return el('code', { title: path }, ...seenPath(shortPath(roots, path)));
}
