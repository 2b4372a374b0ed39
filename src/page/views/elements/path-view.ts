/** A path within a text: short, with the full path as its tooltip. */

import { shortPath } from '../../data/paths.ts';
import { el } from './dom.ts';
import { visiblePath } from './visible-text.ts';

export function pathView(roots: readonly string[], path: string): HTMLElement {
  return el('code', { title: path }, ...visiblePath(shortPath(roots, path)));
}
