import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installationsOf } from '../../../../src/engine/run/sandbox/installations.ts';
import { layOut, type Tree, temporaryDirectory } from '../../../tree.ts';

describe('what a sandbox shows of the installations of programs', () => {
  let base: ReturnType<typeof temporaryDirectory>;
  const program = { text: '\x7fELF', mode: '755' } as const;
  const script = { text: '#!/bin/sh\n', mode: '755' } as const;
  const around = (environment = {}) => ({
    system: ['/usr', '/bin'],
    roots: [join(base.path, 'code/app')],
    environment,
  });
  const found = (...programs: string[]) => installationsOf(programs, around());
  /** What is visible for the programs in a tree, as paths from its top. */
  const visibleIn = (tree: Tree, ...programs: string[]) => {
    layOut(base.path, tree);
    const { visible } = found(...programs.map((one) => join(base.path, one)));
    return visible.map(({ path, link }) => `${path.slice(base.path.length + 1)}${link ? ` -> ${link}` : ''}`);
  };

  beforeEach(() => {
    base = temporaryDirectory();
  });

  afterEach(() => base.remove());

  it('is nothing more for programs of the system', () => {
    expect(found('/usr/bin/env', '/bin/sh').visible).toEqual([]);
  });

  it('is the package in /opt, or the whole store if packages refer to each other', () => {
    expect(found('/opt/x/bin/a', '/opt/x/bin/b').visible).toEqual([{ path: '/opt/x' }]);
    expect(found('/opt/bin/a').visible).toEqual([{ path: '/opt/bin' }]);
    expect(found('/nix/store/abc-node/bin/node').visible).toEqual([{ path: '/nix/store' }]);
  });

  it('is the program alone if nothing is known about its directory', () => {
    const beside = { 'proj/.env': 'x', 'proj/lib/key.pem': 'x', 'proj/bin/other': program };
    expect(visibleIn({ 'proj/bin/tool': program, ...beside }, 'proj/bin/tool')).toEqual(['proj/bin/tool']);
    expect(found(`${homedir()}/bin/tool`).visible).toEqual([{ path: `${homedir()}/bin/tool` }]);
    expect(found(`${homedir()}/tool`).visible).toEqual([{ path: `${homedir()}/tool` }]);
    expect(visibleIn({ 'code/bin/tool': program, 'code/lib/python3/x': '' }, 'code/bin/tool')).toEqual([
      'code/bin/tool',
    ]);
  });

  it('is every link on the way to the program, as a link', () => {
    const tree = {
      'one/bin/tool': { link: '../../two/tool' },
      'two/tool': { link: 'real' },
      'two/real': program,
    };
    expect(visibleIn(tree, 'one/bin/tool')).toEqual([
      'one/bin/tool -> ../../two/tool',
      'two/real',
      'two/tool -> real',
    ]);
  });

  it('is the interpreter of a script, too', () => {
    const tree = {
      'bin/tool': { text: `#!${base.path}/venv/bin/python\nx`, mode: '755' },
      'venv/bin/python': { link: '../../py/bin/python3' },
      'venv/pyvenv.cfg': '',
      'venv/.secret': '',
      'py/bin/python3': program,
      'py/lib/python3.12/os.py': '',
      'py/etc/pip.conf': '',
    };
    expect(visibleIn(tree, 'bin/tool')).toEqual([
      'bin/tool',
      'py/bin',
      'py/lib',
      'venv/bin',
      'venv/pyvenv.cfg',
    ]);
  });

  it('is the programs and toolchains of rustup, and nothing of cargo’s home', () => {
    const tree = {
      '.cargo/bin/rustup': program,
      '.cargo/bin/cargo': { link: 'rustup' },
      '.cargo/credentials.toml': 'x',
      '.cargo/config.toml': 'x',
      '.rustup/settings.toml': '',
      '.rustup/toolchains/stable/bin/rustc': program,
      '.rustup/tmp/x': '',
    };
    expect(visibleIn(tree, '.cargo/bin/cargo')).toEqual([
      '.cargo/bin',
      '.rustup/settings.toml',
      '.rustup/toolchains',
      '.rustup/update-hashes',
    ]);
    const { variables } = found(join(base.path, '.cargo/bin/cargo'));
    expect(variables).toEqual({ RUSTUP_HOME: join(base.path, '.rustup') });
    const elsewhere = installationsOf([join(base.path, '.cargo/bin/cargo')], around({ RUSTUP_HOME: '/r' }));
    expect(elsewhere.variables).toEqual({ RUSTUP_HOME: '/r' });
  });

  it('is the parts of languages and version managers that hold programs', () => {
    const tree = {
      'v20/bin/node': program,
      'v20/bin/npm': { link: '../lib/node_modules/npm/bin/npm-cli.js' },
      'v20/lib/node_modules/npm/bin/npm-cli.js': script,
      'v20/etc/npmrc': 'token',
      'v20/.npmrc': 'token',
      '.pyenv/libexec/pyenv': script,
      '.pyenv/shims/python3': script,
      '.pyenv/versions/3.12/bin/python': program,
      '.pyenv/version': '',
      '.pyenv/.git/config': 'token',
      '.pyenv/notes': 'x',
    };
    expect(visibleIn(tree, 'v20/bin/node', 'v20/bin/npm', '.pyenv/shims/python3')).toEqual([
      '.pyenv/libexec',
      '.pyenv/shims',
      '.pyenv/version',
      '.pyenv/versions',
      'v20/bin',
      'v20/lib',
    ]);
  });

  it('is the packages that a Node script finds, and the file alone for other programs', () => {
    const tree = {
      'p/bin/tsc': { link: '../lib/node_modules/typescript/bin/tsc' },
      'p/lib/node_modules/typescript/bin/tsc': script,
      'p/.npmrc': 'token',
      'q/node_modules/rg/bin/rg': program,
    };
    expect(visibleIn(tree, 'p/bin/tsc', 'q/node_modules/rg/bin/rg')).toEqual([
      'p/bin/tsc -> ../lib/node_modules/typescript/bin/tsc',
      'p/lib/node_modules',
      'q/node_modules/rg/bin/rg',
    ]);
  });
});
