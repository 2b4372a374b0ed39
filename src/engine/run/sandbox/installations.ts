/** What a program needs to see that lives outside of the system's own places: its installation, and nothing that lies beside it. */

import { closeSync, existsSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isWithin } from '../../confine/roots.ts';

/** Something that is shown read-only at its own path. */
export interface Shown {
  path: string;
  /** Where it leads, for a link that is shown as a link. */
  link?: string;
  /** Only an empty directory stands there, whatever there really is. */
  empty?: true;
}

export interface Installations {
  shown: readonly Shown[];
  /** Where a manager of versions finds its own, since the home of commands is another one. */
  variables: Readonly<Record<string, string>>;
}

export interface Surroundings {
  /** The system's directories, which are shown anyway. */
  system: readonly string[];
  roots: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}

/** Stores of packages that refer to each other by absolute paths: one needs them all. */
const STORES = ['/nix/store', '/gnu/store'];
/** Where the system's owner installs packages, each in a directory of its own. */
const PACKAGES = '/opt';
const PROGRAM_DIRECTORIES = ['bin', 'sbin', 'shims', 'libexec'];
const MAX_HOPS = 20;

/** A language that is installed in one directory: known by what is there, and the parts that it needs. */
interface Language {
  isHere(prefix: string): boolean;
  parts: readonly string[];
}

/** An environment of Python's own leads to the interpreter elsewhere. */
const VIRTUAL_ENVIRONMENT: Language = {
  isHere: (prefix) => has(prefix, ['pyvenv.cfg', 'bin']),
  parts: ['bin', 'lib', 'lib64', 'include', 'pyvenv.cfg'],
};

const LANGUAGES: readonly Language[] = [
  { isHere: (prefix) => has(prefix, ['bin/node', 'lib/node_modules']), parts: ['bin', 'lib', 'include'] },
  {
    isHere: (prefix) => entriesOf(join(prefix, 'lib')).some((name) => /^python\d/.test(name)),
    parts: ['bin', 'lib', 'lib64', 'include'],
  },
  { isHere: (prefix) => has(prefix, ['bin/rustc', 'lib/rustlib']), parts: ['bin', 'lib', 'libexec'] },
  {
    isHere: (prefix) => has(prefix, ['bin/go', 'src/runtime']),
    parts: ['bin', 'lib', 'misc', 'pkg', 'src', 'VERSION', 'go.env'],
  },
  {
    isHere: (prefix) => has(prefix, ['bin/java', 'release']),
    parts: ['bin', 'lib', 'conf', 'jmods', 'release'],
  },
  { isHere: (prefix) => has(prefix, ['bin/ruby', 'lib/ruby']), parts: ['bin', 'lib', 'include'] },
];

/** A manager of versions: the parts of its directory that hold programs, and the variable that names it. */
interface VersionManager {
  isHere(directory: string): boolean;
  parts: readonly (string | RegExp)[];
  variables: readonly string[];
}

const MANAGERS: readonly VersionManager[] = [
  ...['py', 'rb', 'nod', 'go'].map((language): VersionManager => {
    const name = `${language}env`;
    return {
      isHere: (directory) => has(directory, [`libexec/${name}`, 'versions']),
      parts: ['bin', 'libexec', 'shims', 'versions', 'plugins', `${name}.d`, 'version'],
      // Its shims name it themselves.
      variables: [],
    };
  }),
  {
    isHere: (directory) => has(directory, ['bin/volta', 'tools/image']),
    parts: ['bin', 'tools', /^layout\.v\d+$/],
    variables: ['VOLTA_HOME'],
  },
  {
    isHere: (directory) => has(directory, ['installs', 'shims']),
    parts: ['bin', 'lib', 'libexec', 'installs', 'plugins', 'shims', 'asdf.sh'],
    variables: ['ASDF_DIR', 'ASDF_DATA_DIR', 'MISE_DATA_DIR'],
  },
];

/** What to show for these programs. Never a home directory, never what contains a root. */
export function installationsOf(programs: Iterable<string>, around: Surroundings): Installations {
  const shown = new Map<string, Shown>();
  const variables: Record<string, string> = {};
  const seen = new Set<string>();
  const queue = [...programs];
  for (let program = queue.pop(); program !== undefined; program = queue.pop()) {
    for (const hop of linkChain(program)) {
      if (seen.has(hop) || around.system.some((directory) => isWithin(hop, directory))) continue;
      seen.add(hop);
      const found = installationOf(hop, around);
      for (const one of found.shown) shown.set(one.path, one);
      Object.assign(variables, found.variables);
      queue.push(...interpreterOf(hop));
    }
  }
  const outermost = [...shown.values()].filter(
    ({ path }) => ![...shown.keys()].some((other) => other !== path && isWithin(path, other)),
  );
  return { shown: outermost.sort((a, b) => (a.path < b.path ? -1 : 1)), variables };
}

/** A program and every link on the way to it. */
function linkChain(program: string): string[] {
  const chain = [program];
  while (chain.length < MAX_HOPS) {
    const last = chain.at(-1)!;
    const target = linkTarget(last);
    if (target === undefined) break;
    chain.push(resolve(dirname(last), target));
  }
  return chain;
}

function installationOf(program: string, around: Surroundings): Installations {
  const store = STORES.find((one) => isWithin(program, one));
  if (store) return showing([store]);
  const directory = dirname(program);
  const prefix = dirname(directory);
  const isPrivate = (path: string) =>
    isWithin(homedir(), path) || around.roots.some((root) => isWithin(root, path));
  const inBin = PROGRAM_DIRECTORIES.includes(basename(directory));
  if (isWithin(directory, PACKAGES) && directory !== PACKAGES && !isWithin(directory, homedir())) {
    if (inBin && prefix !== PACKAGES && !isPrivate(prefix)) return showing([prefix]);
    if (!isPrivate(directory)) return showing([directory]);
  }
  const known = inBin && !isPrivate(prefix) ? knownInstallation(program, prefix, around) : undefined;
  if (known) return known;
  const modules = outermostModules(program);
  if (modules !== undefined && isScript(program) && !isPrivate(modules)) return showing([modules]);
  const link = linkTarget(program);
  return { shown: [link === undefined ? { path: program } : { path: program, link }], variables: {} };
}

/** Of an installation that is known, the parts with programs and libraries: never settings or credentials. */
function knownInstallation(program: string, prefix: string, around: Surroundings): Installations | undefined {
  if (existsSync(join(dirname(program), 'rustup'))) return rustInstallation(dirname(program), around);
  const manager = MANAGERS.find(({ isHere }) => isHere(prefix));
  if (manager) {
    const named = manager.variables.map((name) => [name, prefix]);
    return showing(partsOf(prefix, manager.parts), Object.fromEntries(named));
  }
  if (VIRTUAL_ENVIRONMENT.isHere(prefix)) return showing(partsOf(prefix, VIRTUAL_ENVIRONMENT.parts));
  const link = linkTarget(program);
  // What only leads elsewhere needs nothing of this place.
  if (link !== undefined && !isWithin(resolve(dirname(program), link), prefix)) return undefined;
  const language = LANGUAGES.find(({ isHere }) => isHere(prefix));
  return language && showing(partsOf(prefix, language.parts));
}

function showing(paths: readonly string[], variables: Record<string, string> = {}): Installations {
  return { shown: paths.map((path) => ({ path })), variables };
}

/** rustup's stand-ins start what lies in the toolchains. Cargo's own home beside them holds credentials. */
function rustInstallation(bin: string, { environment }: Surroundings): Installations {
  const home = environment.RUSTUP_HOME ?? join(dirname(dirname(bin)), '.rustup');
  const { shown, variables } = showing([bin, ...partsOf(home, ['toolchains', 'settings.toml'])], {
    RUSTUP_HOME: home,
  });
  // It does not start where it would have to make this one.
  return { shown: [...shown, { path: join(home, 'update-hashes'), empty: true }], variables };
}

function partsOf(directory: string, parts: readonly (string | RegExp)[]): string[] {
  const names = entriesOf(directory);
  return parts.flatMap((part) =>
    names
      .filter((name) => (typeof part === 'string' ? name === part : part.test(name)))
      .map((name) => join(directory, name)),
  );
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function has(directory: string, names: readonly string[]): boolean {
  return names.every((name) => existsSync(join(directory, name)));
}

/** The packages that a script of node's finds by looking upwards. */
function outermostModules(program: string): string | undefined {
  const names = program.split('/');
  const at = names.indexOf('node_modules');
  return at < 0 ? undefined : names.slice(0, at + 1).join('/');
}

/** The program that a script names in its first line. */
function interpreterOf(program: string): string[] {
  const [, interpreter] = /^#![ \t]*(\S+)/.exec(beginningOf(program)) ?? [];
  return interpreter !== undefined && isAbsolute(interpreter) && existsSync(interpreter) ? [interpreter] : [];
}

function isScript(program: string): boolean {
  return beginningOf(program).startsWith('#!');
}

function beginningOf(path: string): string {
  const start = Buffer.alloc(256);
  try {
    const fd = openSync(path, 'r');
    try {
      return start.toString('latin1', 0, readSync(fd, start, 0, start.length, 0));
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
