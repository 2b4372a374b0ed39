/** ripgrep in a served directory: no tool or command can choose which program the next start runs as ripgrep. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../client.ts';
import { temporaryDirectory } from '../tree.ts';
import { boxed } from './commands-fixture.ts';
import { expectDone, expectRefused } from './tool-outcomes.ts';

const clone = fileURLToPath(new URL('../..', import.meta.url));
const platform = `ripgrep-${process.platform}-${process.arch}`;
const REASON = /part of the running Cofferdam program/;

let base: string;
let remove: () => void;
let root: string;
let client: RawClient | undefined;

beforeEach(() => {
  const made = temporaryDirectory();
  base = realpathSync(made.path);
  remove = made.remove;
  root = join(base, 'project');
});

afterEach(async () => {
  client?.child.kill('SIGKILL');
  await client?.exited;
  client = undefined;
  remove();
});

function layProgram(home: string): void {
  mkdirSync(join(root, home), { recursive: true });
  const filter = (path: string) => path !== join(clone, 'dist/types');
  cpSync(join(clone, 'dist'), join(root, home, 'dist'), { recursive: true, filter });
  cpSync(join(clone, 'package.json'), join(root, home, 'package.json'));
  writeFileSync(join(root, 'a.txt'), 'one two\n');
}

function layPackage(name: string, directory: string): void {
  cpSync(join(clone, 'node_modules/@vscode', name), join(root, directory), { recursive: true });
}

async function start(home: string, dialect: string, ...more: string[]): Promise<void> {
  const args = ['--dialect', dialect, '--state', join(base, 'state'), ...more, root];
  client = await RawClient.start(args, process.env, join(root, home, 'dist/cofferdam.cjs'));
}

const refuses = (tool: string, args: object) => expectRefused(client!, tool, args, REASON);
const takes = (tool: string, args: object) => expectDone(client!, tool, args);
const run = (command: string) => client!.text('execute_command', { command });

describe('links to ripgrep, as pnpm makes them', () => {
  const store = 'node_modules/.pnpm';
  const home = `${store}/cofferdam@1/node_modules/cofferdam`;
  const links: Record<string, string> = {
    [`${store}/cofferdam@1/node_modules/@vscode/ripgrep`]: '../../../ripgrep@1/node_modules/@vscode/ripgrep',
    [`${store}/ripgrep@1/node_modules/@vscode/${platform}`]: `../../../platform@1/node_modules/@vscode/${platform}`,
  };

  beforeEach(() => {
    layProgram(home);
    layPackage('ripgrep', `${store}/ripgrep@1/node_modules/@vscode/ripgrep`);
    layPackage(platform, `${store}/platform@1/node_modules/@vscode/${platform}`);
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      symlinkSync(target, join(root, path));
    }
  });

  const expectLinks = () => {
    for (const [path, target] of Object.entries(links)) {
      expect([path, readlinkSync(join(root, path))]).toEqual([path, target]);
      const real = join(root, path, '..', target);
      expect(realpathSync(join(root, path))).toBe(real);
    }
  };

  it('are protected from the tools, with the directories above them', async () => {
    await start(home, 'workspace');
    for (const path of Object.keys(links)) {
      await refuses('delete_file', { path, recursive: true });
      await refuses('move_file', { from: path, to: 'old' });
      await refuses('move_file', { from: 'a.txt', to: path, overwrite: true });
      await refuses('move_file', { from: join(path, '..'), to: 'old' });
      await refuses('delete_file', { path: join(path, '..'), recursive: true });
      await refuses('write_file', { file: `${path}/bin/rg`, content: 'evil' });
    }
    expectLinks();
    await takes('write_file', { file: `${store}/other@1/x`, content: 'x' });
  });

  it.runIf(boxed)('are restored after a command in the sandbox', async () => {
    await start(home, 'replay', '--sandbox', 'require');
    const path = `${store}/cofferdam@1/node_modules/@vscode/ripgrep`;
    const scope = join(path, '..');
    for (const command of [
      `rm ${path}; mkdir -p ${path}/lib`,
      `rm -r ${scope}`,
      `mv ${scope} old; mkdir -p evil/ripgrep; ln -s "$PWD/evil" ${scope}`,
      // The same link text, but in a directory where it leads elsewhere.
      `mv ${scope} old2; mkdir -p evil2; ln -s ${links[path]} evil2/ripgrep; ln -s "$PWD/evil2" ${scope}`,
    ]) {
      expect(await run(command)).toContain('was put back');
      expectLinks();
    }
    expect(await run('true')).not.toContain('was put back');
  });
});

describe('places where the next start would look for ripgrep first', () => {
  const home = 'node_modules/cofferdam';

  it.each([
    ['that is not installed', 'node_modules/@vscode/ripgrep', []],
    ['that lies further up', 'packages/a/node_modules/@vscode/ripgrep', ['ripgrep', platform]],
    ['whose program is not installed', `node_modules/@vscode/${platform}`, ['ripgrep']],
    ['as npm installs it', `node_modules/@vscode/node_modules/@vscode/${platform}`, ['ripgrep', platform]],
  ])('stay empty, given a ripgrep %s', async (_, place, packages) => {
    const above = place.startsWith('packages/') ? 'packages/a/' : '';
    layProgram(`${above}${home}`);
    for (const name of packages) layPackage(name, `node_modules/@vscode/${name}`);
    await start(`${above}${home}`, 'replay', ...(boxed ? ['--sandbox', 'require'] : []));
    await takes('write_file', { path: 'prepared/bin/rg', content: 'evil' });
    await takes('write_file', { path: `scope/${place.split('/').at(-1)}/bin/rg`, content: 'evil' });
    await refuses('write_file', { path: `${place}/bin/rg`, content: 'evil' });
    await refuses('create_directory', { path: place });
    await refuses('create_directory', { path: `${place}/bin` });
    await refuses('move_file', { source: 'prepared', destination: place });
    if (!existsSync(join(root, place, '..'))) {
      await refuses('move_file', { source: 'scope', destination: join(place, '..') });
    }
    expect(existsSync(join(root, place))).toBe(false);
    await takes('write_file', { path: join(place, '../other/x'), content: 'x' });
    if (!boxed) return;
    expect(await run(`mkdir -p ${place}/bin; echo evil > ${place}/bin/rg`)).toContain(
      'was made, and renamed',
    );
    expect(existsSync(join(root, place))).toBe(false);
    expect(await run(`ln -s "$PWD/prepared" ${place}`)).toContain('was made, and renamed');
    expect(existsSync(join(root, place))).toBe(false);
    // A package that the owner puts there meanwhile stays, and no command changes it.
    layPackage('ripgrep', place);
    expect(await run(`echo evil > ${place}/package.json; mv ${place} old`)).not.toContain('renamed');
    expect(readFileSync(join(root, place, 'package.json'), 'utf8')).toContain('vscode');
  });

  it.runIf(boxed)('stay empty even if a command makes a link above them', async () => {
    const place = 'packages/a/node_modules/@vscode';
    layProgram(`packages/a/${home}`);
    await start(`packages/a/${home}`, 'replay', '--sandbox', 'require');
    const answer = await run(`mkdir -p evil/ripgrep; ln -s "$PWD/evil" ${place}`);
    expect(answer).toContain(`${place} was made, and renamed`);
    expect(existsSync(join(root, place))).toBe(false);
    rmSync(join(root, 'evil'), { recursive: true });
  });
});
