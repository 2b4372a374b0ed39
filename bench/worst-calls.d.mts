export interface Site {
  root: string;
  scale: number;
  entryScale: number;
  entries: number;
  lines: number;
}
export const dialects: readonly string[];
export function layOut(root: string, scale?: number, entryScale?: number): Site;
export function worstCalls(dialect: string, site: Site): [what: string, args: Record<string, unknown>][];
