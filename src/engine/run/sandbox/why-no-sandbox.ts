/** Tells whether a sandbox can be tried at all, without starting anything: the descriptions of tools say so. */

/** `auto` uses a sandbox where there is one, `require` runs nothing without one, `off` never uses one. */
export type SandboxMode = 'auto' | 'require' | 'off';

export interface BubblewrapProgram {
  path: string | undefined;
  /** Why the server does not use one that is there: that is not the same as none. */
  passedOver: string | undefined;
}

/** Why the server cannot even try a sandbox; undefined when it can. */
export function whyNoSandbox(mode: SandboxMode, bwrap: BubblewrapProgram): string | undefined {
  if (mode === 'off') return 'switched off';
  if (process.platform !== 'linux') return 'bubblewrap needs Linux';
  const isThere = bwrap.path !== undefined || bwrap.passedOver !== undefined;
  return isThere ? undefined : 'bubblewrap (bwrap) is not installed';
}
