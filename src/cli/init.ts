/** `cofferdam init`: shows what a client needs to use this server, writes it to the client's file, or takes it out. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { platform } from 'node:process';
import type { CommandTo } from './arguments/parse.ts';
import type { Client, ServerCommand, ServerEntry } from './clients/client.ts';
import {
  backupOf,
  type ClientConfigFile,
  readBackup,
  readConfigFile,
  removeFile,
  writeConfigFile,
} from './clients/client-config-file.ts';
import { addCommandLine, configText } from './clients/entry-text.ts';
import { type EntryPlace, entryIn, sameValue, withEntry, withoutEntry } from './clients/formats/edit.ts';
import { ConfigProblem } from './clients/formats/format.ts';
import { fileOf, isFound, type Machine, platformNamed } from './clients/places.ts';
import { clients } from './clients/table.ts';
import { print } from './output.ts';
import { directoryArguments } from './serve/client-configs.ts';
import type { Surroundings } from './surroundings.ts';
import { UsageError } from './usage-error.ts';

type Init = CommandTo<'init'>;

/** What `init` needs to know about one client on this machine. */
interface Target {
  client: Client;
  path: string;
  place: EntryPlace;
  launch: ServerCommand;
}

export async function init(command: Init, surroundings: Surroundings): Promise<number> {
  const { environment, home } = surroundings;
  const machine: Machine = { platform: platformNamed(platform), home, environment };
  if (!command.client) return print(listText(machine));
  const target = targetOf(command, command.client, machine, surroundings.program);
  if (command.action === 'show') return print(showText(command, target));
  const file = readConfigFile(target.path);
  try {
    return command.action === 'write' ? write(command, target, file) : remove(target, file);
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    const at = error.line === undefined ? '' : `:${error.line}:${error.column}`;
    throw new UsageError(`${target.path}${at}: ${error.message}; nothing was changed`);
  }
}

function listText(machine: Machine): string {
  const width = Math.max(...clients.map(({ id }) => id.length));
  const rows = clients.map((client) => {
    const found = isFound(client, machine) ? 'found    ' : 'not found';
    return `  ${client.id.padEnd(width)}  ${found}  ${fileOf(client, 'user', '', machine)}`;
  });
  return [
    'Clients, whether they are found on this machine, and the file that lists their servers:',
    '',
    ...rows,
    '',
    'cofferdam init CLIENT [DIR …] shows what to add there; with --write, init adds it for you.',
    '',
  ].join('\n');
}

function targetOf(
  { scope, name, roots, options }: Init,
  client: Client,
  machine: Machine,
  program: string,
): Target {
  const [project = resolve('.')] = roots.map(({ path }) => resolve(path));
  const path = fileOf(client, scope, project, machine)!;
  const asked = options.includes('--client-roots')
    ? []
    : roots.length > 0 || options.includes('--config')
      ? roots
      : [{ path: '.', writable: true }];
  const served = asked.map((root) => ({ ...root, path: resolve(root.path) }));
  for (const { path: directory } of served) {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${directory}: no such directory`);
  }
  // Absolute paths: a client that is started from a desktop may have another PATH and working directory.
  const args = [resolve(program), ...options, ...directoryArguments(served)];
  const launch = { command: process.execPath, args };
  return { client, path, place: { format: client.format, keys: client.keys, name }, launch };
}

function showText({ name, scope }: Init, { client, path, launch }: Target): string {
  const command = addCommandLine(client, name, launch, scope);
  const link = client.link?.(name, launch);
  return [
    `${client.name} reads ${path}. Add this to it, or repeat this command with --write:`,
    '',
    configText(client, name, launch),
    ...(command ? [`${client.name} can also add it itself:`, '', `  ${command}`, ''] : []),
    ...(link ? ['Or open this link:', '', `  ${link}`, ''] : []),
    plain(client.see),
    ...(client.notes ? [plain(client.notes)] : []),
    '',
  ].join('\n');
}

function write(
  { force, scope }: Init,
  { client, path, place, launch }: Target,
  file: ClientConfigFile,
): number {
  const entry = client.entry(place.name, launch);
  const present = entryIn(file.text, place);
  if (present !== undefined && sameValue(present, entry))
    return print(`${path} has this entry already: nothing was changed.\n`);
  if (present !== undefined && !force)
    throw new UsageError(
      `${path} has another entry '${place.name}': --force replaces it, --name NAME adds a second one; nothing was changed`,
    );
  // The old backup still holds the file without any entry. Keep it: it is a better backup than the entry to replace.
  const backup = present === undefined ? undefined : readBackup(file);
  const keepBackup = backup !== undefined && addsTo(backup, place, present as ServerEntry, file.text);
  const text = withEntry(keepBackup ? backup : file.text, place, entry);
  writeConfigFile(file, text, scope === 'user' ? 0o600 : 0o644, keepBackup);
  const kept = file.exists ? `The old bytes are in ${backupOf(file)}.\n` : '';
  return print(`Added '${place.name}' to ${path}.\n${kept}${plain(client.see)}\n`);
}

function remove({ path, place }: Target, file: ClientConfigFile): number {
  const present = file.exists ? entryIn(file.text, place) : undefined;
  if (present === undefined) return print(`${path} has no entry '${place.name}': nothing was changed.\n`);
  const backup = readBackup(file);
  if (backup !== undefined && addsTo(backup, place, present as ServerEntry, file.text)) {
    writeConfigFile(file, backup, 0o600, true);
    removeFile(backupOf(file));
    return print(`Removed '${place.name}' from ${path}, which is now as it was before.\n`);
  }
  const text = withoutEntry(file.text, place);
  if (text === '' && backup === undefined) {
    removeFile(file.path);
    return print(`Removed ${path}, which held nothing but '${place.name}'.\n`);
  }
  writeConfigFile(file, text, 0o600, false);
  return print(`Removed '${place.name}' from ${path}.\nThe old bytes are in ${backupOf(file)}.\n`);
}

/** Whether `text` is `without` with the entry added. */
function addsTo(without: string, place: EntryPlace, entry: ServerEntry, text: string): boolean {
  try {
    return entryIn(without, place) === undefined && withEntry(without, place, entry) === text;
  } catch (error) {
    if (error instanceof ConfigProblem) return false;
    throw error;
  }
}

/** Sentences of the table without Markdown, for a terminal. */
function plain(sentences: string): string {
  return sentences.replaceAll('`', '');
}
