/** What one entry of the table of clients says. */

export type Scope = 'user' | 'project';
export type Platform = 'linux' | 'darwin' | 'win32';
export type FormatName = 'json' | 'toml' | 'yaml';
export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };
export type ServerEntry = Readonly<Record<string, Value>>;

/** How a client starts a server of its own on stdio. */
export interface ServerCommand {
  command: string;
  args: readonly string[];
}

/** Where a client looks for a file: the first name that exists counts, or else the first name. */
export interface ConfigFolder {
  /** `~`, `$XDG_CONFIG_HOME` and `%APPDATA%` at the beginning stand for the directories of that name. */
  path: string;
  /** A variable of the environment that names this folder instead. */
  variable?: string;
  names: readonly string[];
}

export interface Client {
  /** What `cofferdam init` calls it. */
  id: string;
  name: string;
  format: FormatName;
  user: Readonly<Record<Platform, ConfigFolder>>;
  /** Below the directory of a project; missing where the client has no such file. */
  project?: readonly string[];
  /** The keys that lead to the list of servers in the file. */
  keys: readonly string[];
  entry(name: string, launch: ServerCommand): ServerEntry;
  /** The client's own command that adds a server, where it has one for this scope. */
  addCommand?(name: string, launch: ServerCommand, scope: Scope): readonly string[] | undefined;
  /** A link that opens the client and asks whether to add the server. */
  link?(name: string, launch: ServerCommand): string;
  /** The same as an https address, for pages that allow no other links. */
  webLink?(name: string, launch: ServerCommand): string;
  /** The programs by which it is known to be installed. */
  programs: readonly string[];
  /** How to load the new entry, and how to see that it works: sentences. */
  see: string;
  /** What else its users should know: sentences. */
  notes?: string;
  /** Where its makers describe all this. */
  docs: string;
}
