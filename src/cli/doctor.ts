/** `cofferdam doctor`: which protections are active here, and what is missing. */

import {
  type Engine,
  EngineFailure,
  installCommand,
  type Protection,
  type RootInfo,
} from '../engine/index.ts';
import { notConfined } from './start-up.ts';

export interface Finding {
  what: string;
  active: boolean;
  says: string;
}

export async function findingsOf(engine: Engine, skipped: readonly string[] = []): Promise<Finding[]> {
  const { active, says } = await engine.search.ripgrep();
  return [
    wallFinding(engine.protection),
    ...engine.roots.map(rootFinding),
    ...skipped.map((why) => ({ what: 'directory', active: false, says: why })),
    { what: 'search: ripgrep', active, says },
    ...(await commandFindings(engine)),
  ];
}

async function commandFindings(engine: Engine): Promise<Finding[]> {
  try {
    const layers = await engine.commands.layers();
    const sandbox = await engine.commands.sandbox();
    const shown = await engine.commands.shown();
    return [
      ...layers.map(({ name, active, why }) => ({ what: `commands: ${name}`, active, says: why })),
      ...(sandbox.kind === 'none' ? [unconfinedFinding(sandbox.why)] : []),
      ...shown.map((path) => ({ what: 'commands: also see', active: true, says: `${path} (read-only)` })),
    ];
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== 'no-sandbox') throw error;
    return [{ what: 'commands', active: false, says: `no command is run: ${error.facts.reason}` }];
  }
}

function unconfinedFinding(why: string): Finding {
  const install = installCommand();
  const remedy = why.includes('not installed') && install !== undefined ? `; install it: ${install}` : '';
  return { what: 'commands: confined', active: false, says: `${notConfined(why)}${remedy}` };
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
