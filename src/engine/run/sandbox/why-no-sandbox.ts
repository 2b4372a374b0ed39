/** Says why a sandbox cannot even be tried, without starting anything: the descriptions of tools need to know. */

/** `auto` uses a sandbox if there is one, `require` runs nothing without one, `off` never uses one. */
export type SandboxMode = 'auto' | 'require' | 'off';

export interface BubblewrapProgram {
  path: string | undefined;
  /** Why the server does not use a bwrap that exists. Undefined: there is none. */
  passedOver: string | undefined;
}

/** Why the server cannot even try a sandbox. Undefined when it can. */
export function whyNoSandbox(mode: SandboxMode, bwrap: BubblewrapProgram): string | undefined {
  if (mode === 'off') return 'switched off';
  if (process.platform !== 'linux') return 'bubblewrap needs Linux';
  const isThere = bwrap.path !== undefined || bwrap.passedOver !== undefined;
  return isThere ? undefined : 'bubblewrap (bwrap) is not installed';
}
