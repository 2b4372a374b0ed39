export interface Site {
  root: string;
  entries: number;
  lines: number;
}
type Calls = [tool: string, args: Record<string, unknown>][];
export function layOut(root: string, scale?: number): Site;
export function worstCalls(
  site: Site,
): Record<'repo' | 'workspace' | 'fileeditor' | 'patch' | 'replay', Calls>;
