/** `cofferdam doctor`: says which protections are active here, and what is missing. */

import type { Paint } from '../display/colour.ts';
import { bubblewrapInstallCommand, type Engine, type RootInfo } from '../engine/index.ts';
import { COULD_READ, isNoSandbox } from '../server/mcp/tools/offerable-tools.ts';
import type { CommandTo } from './arguments/parse.ts';
import { print } from './output.ts';
import { closeApp, openApp } from './serve/open-app.ts';
import { notConfined } from './serve/start-up.ts';
import { openFleet } from './state/fleet.ts';
import type { Surroundings } from './surroundings.ts';

interface Finding {
  what: string;
  active: boolean;
  says: string;
}

export async function doctor(
  { roots, options }: CommandTo<'doctor'>,
  surroundings: Surroundings,
): Promise<number> {
  const asked = roots.length > 0 ? roots : [{ path: process.cwd(), writable: true }];
  const app = openApp(asked, options, surroundings, await openFleet(options.state, asked));
  const { engine, skipped, journal } = app;
  const state = { what: 'journal and trace', active: !journal.startsWith('OFF'), says: journal };
  const findings = [...(await findingsOf(engine, skipped)), state];
  print(asText(findings, surroundings.paint));
  await closeApp(app);
  return findings.every(({ active }) => active) ? 0 : 1;
}

async function findingsOf(engine: Engine, skipped: readonly string[]): Promise<Finding[]> {
  const { active, says } = await engine.search.ripgrep();
  return [
    { what: 'wall', active: engine.protection.raceFree, says: engine.protection.says },
    ...engine.roots.map(rootFinding),
    ...(engine.withholds === undefined ? [] : [{ what: 'withheld', active: true, says: engine.withholds }]),
    ...skipped.map((why) => ({ what: 'directory', active: false, says: why })),
    { what: 'search: ripgrep', active, says },
    ...(await commandFindings(engine)),
  ];
}

async function commandFindings(engine: Engine): Promise<Finding[]> {
  try {
    const confinement = await engine.commands.confinement();
    const sandbox = await engine.commands.sandbox();
    const visible = await engine.commands.visiblePaths();
    return [
      ...confinement.map(({ name, active, why }) => ({ what: `commands: ${name}`, active, says: why })),
      ...(sandbox.kind === 'none' ? [unconfinedFinding(engine, sandbox.why)] : []),
      ...visible.map((path) => ({ what: 'commands: also see', active: true, says: `${path} (read-only)` })),
    ];
  } catch (error) {
    if (!isNoSandbox(error)) throw error;
    return [{ what: 'commands', active: false, says: `commands are refused: ${error.facts.reason}` }];
  }
}

function unconfinedFinding({ withholds }: Engine, why: string): Finding {
  if (withholds !== undefined) {
    return { what: 'commands', active: false, says: `commands are refused: ${COULD_READ}` };
  }
  const install = bubblewrapInstallCommand();
  const remedy = why.includes('not installed') && install !== undefined ? `; install it: ${install}` : '';
  return { what: 'commands: confined', active: false, says: `${notConfined(why)}${remedy}` };
}

function rootFinding({ path, writable }: RootInfo): Finding {
  return { what: 'directory', active: true, says: `${path} (${writable ? 'read-write' : 'read-only'})` };
}

function asText(findings: readonly Finding[], paint: Paint): string {
  const width = Math.max(...findings.map(({ what }) => what.length));
  return findings
    .map(
      ({ what, active, says }) =>
        `${active ? paint('yes', 'green') : paint('no ', 'yellow')}  ${what.padEnd(width)}  ${says}\n`,
    )
    .join('');
}
