/** Finds the file in which a client on this machine lists its servers, and whether the client is installed. */
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Client, ConfigFolder, Platform, Scope } from './client.ts';

export interface Machine {
  platform: Platform;
  home: string;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Other systems keep the files where Linux does. */
export function platformNamed(name: string): Platform {
  return name === 'darwin' || name === 'win32' ? name : 'linux';
}

export function fileOf(client: Client, scope: Scope, project: string, machine: Machine): string | undefined {
  if (scope === 'project') return client.project && firstThatExists(project, client.project);
  const { names } = client.user[machine.platform];
  return firstThatExists(folderOf(client, machine), names);
}

function firstThatExists(folder: string, names: readonly string[]): string {
  const paths = names.map((name) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

function folderOf({ user }: Client, { platform, home, environment }: Machine): string {
  const { path, variable }: ConfigFolder = user[platform];
  const named = variable === undefined ? undefined : environment[variable];
  if (named) return named;
  const [, first, rest] = /^([^/]+)(.*)$/.exec(path)!;
  return join(directoryNamed(first!, home, environment), rest!);
}

function directoryNamed(word: string, home: string, environment: Machine['environment']): string {
  if (word === '~') return home;
  if (word === '%APPDATA%') return environment.APPDATA || join(home, 'AppData', 'Roaming');
  const { XDG_CONFIG_HOME: set } = environment;
  return set && isAbsolute(set) ? set : join(home, '.config');
}

/** Whether the client's file or folder exists, or its program is on the PATH. */
export function isFound(client: Client, machine: Machine): boolean {
  const { path, names } = client.user[machine.platform];
  const folder = folderOf(client, machine);
  // That the home directory exists says nothing.
  const signs = path === '~' ? names.map((name) => join(folder, name)) : [folder];
  return signs.some((sign) => existsSync(sign)) || client.programs.some((name) => isOnPath(name, machine));
}

function isOnPath(name: string, { platform, environment }: Machine): boolean {
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const names = platform === 'win32' ? [`${name}.cmd`, `${name}.exe`] : [name];
  return folders.some((folder) => names.some((each) => existsSync(join(folder, each))));
}
