/** From what an engine is asked to serve to the parts that it works with. */

import { StateProblem, whyNotStateDirectory } from '../state/directory/state-directory.ts';
import { Calls } from './access/access.ts';
import { Arrivals } from './access/call-order.ts';
import { CommandDesk, type CommandSettings } from './api/commands.ts';
import { SearchDesk } from './api/search.ts';
import type { RootSpec } from './confine/roots.ts';
import { Wall } from './confine/wall.ts';
import type { Engine } from './engine.ts';
import { Editor } from './files/edit/text-editor.ts';
import { Journal } from './journal/journal.ts';
import type { Keep } from './journal/retention/retention.ts';

export interface EngineOptions {
  roots: readonly RootSpec[];
  /** No operation can change anything. */
  readOnly?: boolean;
  /** `verified` asks for the wall's fallback although a stronger one would work. */
  protection?: 'strongest' | 'verified';
  /** Git's configuration and hooks may be changed. */
  allowGitConfig?: boolean;
  commands?: CommandSettings;
  /** The state directory in which every change is kept, to be undone; nothing is kept without one. */
  journal?: string;
  /** How much of it, and for how long. */
  keep?: Keep;
}

/** What engines share that work on the same directories, or on a part of them. */
export interface Shared {
  calls: Calls;
  editor: Editor;
  commands: CommandDesk;
  search: SearchDesk;
  narrowed: Set<Engine>;
  outer: Engine | undefined;
}

export function open(options: EngineOptions): Shared {
  const { readOnly = false, protection = 'strongest', allowGitConfig = false, journal: directory } = options;
  const wall = new Wall(options.roots, { readOnly, protection, allowGitConfig });
  const journal = directory === undefined || readOnly ? undefined : new Journal(directory, options.keep);
  const problem =
    journal &&
    whyNotStateDirectory(
      journal.directory,
      wall.roots.map(({ real }) => real),
    );
  if (problem !== undefined) {
    wall.close();
    throw new StateProblem(`the state directory ${problem}`);
  }
  const calls = new Calls({ wall, arrivals: new Arrivals(), journal });
  const desksHere = desks(calls, options.commands ?? {});
  return { ...desksHere, calls, editor: new Editor(), narrowed: new Set(), outer: undefined };
}

export function desks(calls: Calls, settings: CommandSettings): Pick<Shared, 'commands' | 'search'> {
  return { commands: new CommandDesk(calls, settings), search: new SearchDesk(calls) };
}
