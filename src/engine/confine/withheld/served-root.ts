/** A root that is inside another one follows the rules of both. */
import { fail } from '../../failures.ts';
import type { Root } from '../roots.ts';
import { rawOf } from '../scan/raw-names.ts';
import type { Withheld } from './withheld.ts';

/** Fails when a root is inside another one whose rules withhold it. */
export function requireServedRoot(root: Root, withheld: Withheld | undefined, shown: string): void {
  if (withheld === undefined) return;
  const verdict = withheld.verdictOnPath(rawOf(root.real), true);
  if (verdict === 'denied') fail({ kind: 'denied', path: shown });
  if (verdict === 'hidden') fail({ kind: 'not-found', path: shown, wanted: 'entry', near: [] });
}
