/** Tells whether a sandbox can be tried at all, without starting anything: the descriptions of tools say so. */

/** `auto` uses a sandbox where there is one, `require` runs nothing without one, `off` never uses one. */
export type SandboxMode = 'auto' | 'require' | 'off';

export interface BubblewrapProgram {
  path: string | undefined;
  /** A program of the name in a root, which the server does not trust. */
  inRoot: string | undefined;
}

/** Why the server cannot even try a sandbox; undefined when it can. */
export function whyNoSandbox(mode: SandboxMode, bwrap: BubblewrapProgram): string | undefined {
  if (mode === 'off') return 'switched off';
  if (process.platform !== 'linux') return 'bubblewrap needs Linux';
  const isThere = bwrap.path !== undefined || bwrap.inRoot !== undefined;
  return isThere ? undefined : 'bubblewrap (bwrap) is not installed';
}
