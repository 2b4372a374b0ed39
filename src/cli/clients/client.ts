/** The facts about one client, as `table.ts` lists them. */

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

/** Where a client looks for its file. The first name that exists counts; if none does, the first name. */
export interface ConfigFolder {
  /** It may begin with `~`, `$XDG_CONFIG_HOME` or `%APPDATA%`, for the directory of that name. */
  path: string;
  /** An environment variable that can name another folder. */
  variable?: string;
  names: readonly string[];
}

export interface Client {
  /** What `cofferdam init` calls it. */
  id: string;
  name: string;
  format: FormatName;
  user: Readonly<Record<Platform, ConfigFolder>>;
  /** The names of the file in a project's directory. Undefined: the client has no such file. */
  project?: readonly string[];
  /** The keys that lead to the list of servers in the file. */
  keys: readonly string[];
  entry(name: string, launch: ServerCommand): ServerEntry;
  /** The client's own command that adds a server, if it has one for this scope. */
  addCommand?(name: string, launch: ServerCommand, scope: Scope): readonly string[] | undefined;
  /** A link that opens the client and asks whether to add the server. */
  link?(name: string, launch: ServerCommand): string;
  /** The same link as an https address, for pages that allow no other links. */
  webLink?(name: string, launch: ServerCommand): string;
  /** Programs on the PATH that show that the client is installed. */
  programs: readonly string[];
  /** Sentences that say how to load the new entry, and how to see that it works. */
  see: string;
  /** Sentences that say what else its users should know. */
  notes?: string;
  /** The address of the client's own documentation on this. */
  docs: string;
}
