/** `npm ci` must work from the lock file on every system, whatever machine the lock file was made on. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface LockedPackage {
  version: string;
  resolved?: string;
  /** The package is a folder of this repository. */
  link?: boolean;
  optional?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const packages: Record<string, LockedPackage> = JSON.parse(text).packages;

/** The entry from which the package at `path` would load `name`. */
function entryFor(name: string, path: string): LockedPackage | undefined {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const entry = packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`];
    if (entry || at === '') return entry;
  }
}

describe('the lock file', () => {
  it('has an entry for every dependency that a package names, even for other platforms', () => {
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => {
          const entry = entryFor(name, path);
          return !entry?.version && !entry?.link;
        })
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('has packages for Linux, macOS and Windows of each tool with a native part', () => {
    for (const scope of ['@biomejs/cli', '@esbuild/', '@rollup/rollup']) {
      for (const system of ['linux', 'darwin', 'win32']) {
        const found = Object.keys(packages).some((path) => path.includes(scope) && path.includes(system));
        expect({ scope, system, found }).toEqual({ scope, system, found: true });
      }
    }
  });

  it('lets every system leave out packages for other systems', () => {
    const required = Object.entries(packages).filter(([, { os, cpu, optional }]) => (os || cpu) && !optional);
    expect(required).toEqual([]);
  });

  it('contains no URLs', () => {
    const registered = Object.values(packages).filter(({ link }) => !link);
    expect(registered.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
    expect(text).not.toMatch(/https?:\/\/[^"]*\.tgz/);
  });
});
