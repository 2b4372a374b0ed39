/** A client's entry as a user would paste it: as a file, or as a command. */
import { shellWord } from '../../display/shell-word.ts';
import type { Client, Scope, ServerCommand } from './client.ts';
import { withEntry } from './formats/edit.ts';

/** A file that holds nothing but the entry. */
export function configText({ format, keys, entry }: Client, name: string, launch: ServerCommand): string {
  return withEntry('', { format, keys, name }, entry(name, launch));
}

/** The client's own command as a line for a shell. */
export function addCommandLine(
  client: Client,
  name: string,
  launch: ServerCommand,
  scope: Scope,
): string | undefined {
  return client.addCommand?.(name, launch, scope)?.map(shellWord).join(' ');
}
