/**
 * Decides what a token may see and undo: an unlimited token everything, any other its own calls, and only in the served
 * directories.
 */
import { isWithin } from '../../engine/index.ts';
import { realOf } from '../../real-path.ts';
import type { Grant } from '../web/tokens/tokens.ts';

export interface ServedRoot {
  path: string;
  writable: boolean;
}

interface KnownRoot {
  /** The path as it was given, and with all links resolved. */
  names: readonly string[];
  writable: boolean;
}

interface AttributedEntry {
  roots: readonly string[];
  origin: { who?: string };
}

export class Visibility {
  readonly #roots: readonly KnownRoot[] | undefined;

  /** Without roots, everything that is stored is visible. */
  constructor(roots: readonly ServedRoot[] | undefined) {
    this.#roots = roots?.map(({ path, writable }) => ({ names: [path, realOf(path)], writable }));
  }

  get roots(): string[] {
    return this.#roots?.map(({ names }) => names[0]!) ?? [];
  }

  /** Whether all of these directories are served, or inside a served one. */
  covers(roots: readonly string[]): boolean {
    if (!this.#roots) return true;
    return roots.length > 0 && roots.every((root) => this.#rootAround(root) !== undefined);
  }

  mayUndoAnything(grant: Grant): boolean {
    return !grant.readOnly && (this.#roots?.some(({ writable }) => writable) ?? true);
  }

  maySee(grant: Grant, { roots, origin }: AttributedEntry): boolean {
    return this.covers(roots) && seesCallsOf(grant, origin.who);
  }

  mayUndo(grant: Grant, made: AttributedEntry): boolean {
    if (grant.readOnly || !this.maySee(grant, made)) return false;
    return !this.#roots || made.roots.every((root) => this.#rootAround(root)!.writable);
  }

  /** The innermost served directory around a path: a read-only one may be inside a writable one. */
  #rootAround(path: string): KnownRoot | undefined {
    let found: KnownRoot | undefined;
    let longest = -1;
    for (const root of this.#roots ?? []) {
      for (const name of root.names) {
        if (name.length <= longest || !isWithin(path, name)) continue;
        longest = name.length;
        found = root;
      }
    }
    return found;
  }
}

export function seesCallsOf(grant: Grant, who: string | undefined): boolean {
  return isUnlimited(grant) || who === grant.name;
}

export function isUnlimited({ readOnly, dialects }: Grant): boolean {
  return !readOnly && dialects === undefined;
}
