/** What a token may see and undo: everything without limits, its own calls otherwise, and only where it is served. */
// The names of the served directories are resolved, nothing is opened.
import { realpathSync } from 'node:fs';
import { isWithin } from '../../engine/index.ts';
import type { Grant } from '../web/tokens/tokens.ts';

export interface ServedRoot {
  path: string;
  writable: boolean;
}

interface KnownRoot {
  /** As it was given, and with all links resolved. */
  names: readonly string[];
  writable: boolean;
}

interface AttributedEntry {
  roots: readonly string[];
  origin: { who?: string };
}

export class Visibility {
  readonly #roots: readonly KnownRoot[] | undefined;

  /** Without roots all that is stored is shown. */
  constructor(roots: readonly ServedRoot[] | undefined) {
    this.#roots = roots?.map(({ path, writable }) => ({ names: [path, realOf(path)], writable }));
  }

  get roots(): string[] {
    return this.#roots?.map(({ names }) => names[0]!) ?? [];
  }

  /** Whether all of these directories are served here, or lie in one that is. */
  covers(roots: readonly string[]): boolean {
    if (!this.#roots) return true;
    return roots.length > 0 && roots.every((root) => this.#around(root) !== undefined);
  }

  mayUndoAnything(grant: Grant): boolean {
    return !grant.readOnly && (this.#roots?.some(({ writable }) => writable) ?? true);
  }

  maySee(grant: Grant, { roots, origin }: AttributedEntry): boolean {
    return this.covers(roots) && seesCallsOf(grant, origin.who);
  }

  mayUndo(grant: Grant, made: AttributedEntry): boolean {
    if (grant.readOnly || !this.maySee(grant, made)) return false;
    return !this.#roots || made.roots.every((root) => this.#around(root)!.writable);
  }

  /** The innermost decides: a read-only directory may lie in a writable one. */
  #around(path: string): KnownRoot | undefined {
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

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
