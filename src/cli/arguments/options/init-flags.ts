/** Parses the arguments of `cofferdam init`. */

import type { Client, Scope } from '../../clients/client.ts';
import { clients } from '../../clients/table.ts';
import { UsageError } from '../../usage-error.ts';
import { type RootArgument, toRoot } from '../roots.ts';
import type { OptionValues } from '../split.ts';
import { namesInstead } from '../suggest.ts';
import { choiceOf } from './option-value.ts';
import type { StateSettings } from './state-flags.ts';

export interface InitRequest {
  /** Undefined: list all clients. */
  client: Client | undefined;
  action: 'show' | 'write' | 'remove';
  scope: Scope;
  name: string;
  force: boolean;
  roots: readonly RootArgument[];
  /** The options of the server in the client's entry. */
  options: readonly string[];
}

export function parseInit(
  [id, ...directories]: readonly string[],
  values: OptionValues,
  options: readonly string[],
  { address }: StateSettings,
): InitRequest {
  const { write, remove, force } = values;
  if (write && remove) throw new UsageError('--write and --remove exclude each other');
  if (id === undefined && (write || remove))
    throw new UsageError(`say which client: ${clients.map((client) => client.id).join(', ')}`);
  if (address !== undefined && values['state-file'] === undefined)
    throw new UsageError('the address of a database holds a password: give init a --state-file instead');
  const client = id === undefined ? undefined : clientFor(id);
  const scope = scopeFor(values.scope as string | undefined, client);
  if (values['client-roots'] && directories.length > 0 && scope === 'user')
    throw new UsageError('--client-roots serves what the client names, and takes no directory');
  return {
    client,
    action: remove ? 'remove' : write ? 'write' : 'show',
    scope,
    name: nameFor(values.name as string | undefined),
    force: force === true,
    roots: directories.map(toRoot),
    options,
  };
}

function clientFor(id: string): Client {
  const names = clients.map((client) => client.id);
  const found = clients.find((client) => client.id === id.toLowerCase());
  if (found) return found;
  throw new UsageError(`init ${id}: no such client${namesInstead(id, 'clients', names)}`);
}

function scopeFor(scope: string | undefined, client: Client | undefined): Scope {
  const chosen = choiceOf('scope', scope ?? 'user', ['user', 'project']);
  if (chosen === 'project' && client && !client.project)
    throw new UsageError(`${client.name} has no file for a project: leave out --scope project`);
  return chosen;
}

/** Clients put it into the names of tools, so it must be one word. */
function nameFor(name = 'cofferdam'): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name)) return name;
  throw new UsageError(`--name takes letters, digits, '_' and '-', not '${name}'`);
}
