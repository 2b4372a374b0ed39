/** Finds what a program needs to see outside the system's own directories: its installation, and nothing beside it. */

import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { targetOf } from '../../confine/probe-path.ts';
import { isBelow, isWithin } from '../../confine/roots.ts';

/** A path that commands see read-only, at its own place. */
export interface VisiblePath {
  path: string;
  /** The target, if commands see a link there. */
  link?: string;
  /** Whether commands see an empty directory there, whatever it really holds. */
  empty?: true;
}

export interface Installations {
  visible: readonly VisiblePath[];
  /** Variables that say where a version manager has its files, since commands have another home directory. */
  variables: Readonly<Record<string, string>>;
}

export interface MachineFacts {
  /** The system's directories, which commands see anyway. */
  system: readonly string[];
  roots: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
}

/** Stores whose packages refer to each other by absolute paths, so that commands need all of them. */
const STORES = ['/nix/store', '/gnu/store'];
/** Where administrators install packages, each in a directory of its own. */
const PACKAGES = '/opt';
const PROGRAM_DIRECTORIES = ['bin', 'sbin', 'shims', 'libexec'];
const MAX_HOPS = 20;

/** A language that is installed in one directory: how to recognize it, and the parts that it needs. */
interface Language {
  isHere(prefix: string): boolean;
  parts: readonly string[];
}

/** A virtual environment of Python links to an interpreter elsewhere. */
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

/** A version manager: the parts of its directory that hold programs, and the variables that name the directory. */
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
      // Its shims know its directory.
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

/** What these programs need to see: never a whole home directory, never a directory that contains a root. */
export function installationsOf(programs: Iterable<string>, machine: MachineFacts): Installations {
  const visible = new Map<string, VisiblePath>();
  const variables: Record<string, string> = {};
  const seen = new Set<string>();
  const queue = [...programs];
  for (let program = queue.pop(); program !== undefined; program = queue.pop()) {
    for (const hop of linkChain(program)) {
      if (seen.has(hop) || machine.system.some((directory) => isWithin(hop, directory))) continue;
      seen.add(hop);
      const found = installationOf(hop, machine);
      for (const one of found.visible) visible.set(one.path, one);
      Object.assign(variables, found.variables);
      queue.push(...interpreterOf(hop));
    }
  }
  const outermost = [...visible.values()].filter(
    ({ path }) => ![...visible.keys()].some((other) => isBelow(path, other)),
  );
  return { visible: outermost.sort((a, b) => (a.path < b.path ? -1 : 1)), variables };
}

/** A path of a program, and the target of every link that follows from it. */
function linkChain(program: string): string[] {
  const chain = [program];
  while (chain.length < MAX_HOPS) {
    const last = chain.at(-1)!;
    const target = targetOf(last);
    if (target === undefined) break;
    chain.push(resolve(dirname(last), target));
  }
  return chain;
}

function installationOf(program: string, machine: MachineFacts): Installations {
  const store = STORES.find((one) => isWithin(program, one));
  if (store) return installationAt([store]);
  const directory = dirname(program);
  const prefix = dirname(directory);
  const isPrivate = (path: string) =>
    isWithin(homedir(), path) || machine.roots.some((root) => isWithin(root, path));
  const inBin = PROGRAM_DIRECTORIES.includes(basename(directory));
  if (isBelow(directory, PACKAGES) && !isWithin(directory, homedir())) {
    if (inBin && prefix !== PACKAGES && !isPrivate(prefix)) return installationAt([prefix]);
    if (!isPrivate(directory)) return installationAt([directory]);
  }
  const known = inBin && !isPrivate(prefix) ? knownInstallation(program, prefix, machine) : undefined;
  if (known) return known;
  const modules = outermostModules(program);
  if (modules !== undefined && isScript(program) && !isPrivate(modules)) return installationAt([modules]);
  const link = targetOf(program);
  return { visible: [link === undefined ? { path: program } : { path: program, link }], variables: {} };
}

/** The programs and libraries of an installation of a known kind, without its settings and credentials. */
function knownInstallation(
  program: string,
  prefix: string,
  machine: MachineFacts,
): Installations | undefined {
  if (existsSync(join(dirname(program), 'rustup'))) return rustInstallation(dirname(program), machine);
  const manager = MANAGERS.find(({ isHere }) => isHere(prefix));
  if (manager) {
    const named = manager.variables.map((name) => [name, prefix]);
    return installationAt(partsOf(prefix, manager.parts), Object.fromEntries(named));
  }
  if (VIRTUAL_ENVIRONMENT.isHere(prefix)) return installationAt(partsOf(prefix, VIRTUAL_ENVIRONMENT.parts));
  const link = targetOf(program);
  // A link that leads elsewhere needs nothing of this directory.
  if (link !== undefined && !isWithin(resolve(dirname(program), link), prefix)) return undefined;
  const language = LANGUAGES.find(({ isHere }) => isHere(prefix));
  return language && installationAt(partsOf(prefix, language.parts));
}

function installationAt(paths: readonly string[], variables: Record<string, string> = {}): Installations {
  return { visible: paths.map((path) => ({ path })), variables };
}

/** The proxies of rustup, and the toolchains whose programs they start. Cargo's home beside them holds credentials. */
function rustInstallation(bin: string, { environment }: MachineFacts): Installations {
  const home = environment.RUSTUP_HOME ?? join(dirname(dirname(bin)), '.rustup');
  const { visible, variables } = installationAt([bin, ...partsOf(home, ['toolchains', 'settings.toml'])], {
    RUSTUP_HOME: home,
  });
  // rustup does not start if it would have to create this directory.
  return { visible: [...visible, { path: join(home, 'update-hashes'), empty: true }], variables };
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

/** The outermost node_modules above a script, where Node finds its packages. */
function outermostModules(program: string): string | undefined {
  const names = program.split('/');
  const at = names.indexOf('node_modules');
  return at < 0 ? undefined : names.slice(0, at + 1).join('/');
}

/** The interpreter that a script names in its first line. */
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
