/** Finds where a server keeps its journal and trace, or why it cannot keep them. */
import { grouped } from '../../display/grouped.ts';
import { type StateSource, whyNotStateDirectory } from '../../engine/index.ts';
import type { Fleet } from '../../state/postgres/open.ts';
import type { StateSettings } from '../arguments/options/state-flags.ts';
import { UsageError } from '../usage-error.ts';

export interface StateLocation {
  /** Where the journal and the trace are stored. Undefined: nowhere. */
  source: StateSource | undefined;
  /** The same in words, for the start-up line. */
  says: string;
}

/** Fails when a directory that the operator named cannot be used. The default directory need not work. */
export function locateState(
  settings: StateSettings,
  roots: readonly string[],
  fleet: Fleet | undefined,
): StateLocation {
  if (fleet) return { source: () => fleet.openState(), says: describeLocation(settings, fleet.says) };
  const problem = whyNotStateDirectory(settings.directory, roots);
  if (problem === undefined) {
    return { source: settings.directory, says: describeLocation(settings, settings.directory) };
  }
  if (settings.named) throw new UsageError(`--state ${problem}`);
  return { source: undefined, says: `OFF: ${problem}; --state DIR names another place` };
}

function describeLocation({ keep }: StateSettings, where: string): string {
  const { bytes, days, changesLarge } = keep;
  const larger = changesLarge ? 'cannot be undone' : 'is refused';
  const bounds = `at most ${grouped(bytes)} bytes (a larger change ${larger}) and ${days} days`;
  return `kept in ${where}, ${bounds}`;
}
