/** `cofferdam doctor`: which protections are active here, and what is missing. */
import type { Engine, Protection, RootInfo } from '../engine/index.ts';

export interface Finding {
  what: string;
  active: boolean;
  says: string;
}

export function findingsOf(engine: Engine): Finding[] {
  return [wallFinding(engine.protection), ...engine.roots.map(rootFinding)];
}

export function wallFinding(protection: Protection): Finding {
  return { what: 'wall', active: protection.raceFree, says: protection.says };
}

function rootFinding({ path, writable }: RootInfo): Finding {
  return { what: 'directory', active: true, says: `${path} (${writable ? 'read-write' : 'read-only'})` };
}

export function findingsAsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings
    .map(({ what, active, says }) => `${active ? 'yes' : 'no '}  ${what.padEnd(width)}  ${says}\n`)
    .join('');
}
