/** Runs scripts/release.mjs in a small repository of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { layOut, temporaryDirectory } from './tree.ts';

const script = resolve(import.meta.dirname, '../scripts/release.mjs');
const home = 'https://example.org/small/small';
const changelog = `# Changelog

## [Unreleased]

### Added
- A door.

## [0.1.0] - 2026-01-31

The first version.

[Unreleased]: ${home}/compare/v0.1.0...HEAD
[0.1.0]: ${home}/releases/tag/v0.1.0
`;

const IDENTITY = '[user]\n\tname = Tester\n\temail = tester@example.org\n';
const UNSIGNED = '[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n';

/** The repository, made once and copied for each test. */
let original: { path: string; remove(): void };
let project: { path: string; remove(): void };
beforeAll(() => {
  original = temporaryDirectory();
  const manifest = { name: 'small', version: '0.1.0', repository: { type: 'git', url: `git+${home}.git` } };
  const lock = { name: 'small', version: '0.1.0', packages: { '': { name: 'small', version: '0.1.0' } } };
  layOut(original.path, {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'package-lock.json': `${JSON.stringify(lock, null, 2)}\n`,
    'CHANGELOG.md': changelog,
  });
  const inOriginal = (...args: string[]) => execFileSync('git', args, { cwd: original.path });
  inOriginal('init', '--quiet', '--initial-branch', 'main', '--template', '');
  appendFileSync(join(original.path, '.git/config'), IDENTITY + UNSIGNED);
  inOriginal('add', '.');
  inOriginal('commit', '--quiet', '--message', 'Begin');
});
afterAll(() => original.remove());
beforeEach(() => {
  project = temporaryDirectory();
  cpSync(original.path, project.path, { recursive: true, preserveTimestamps: true });
});
afterEach(() => project.remove());

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: project.path, encoding: 'utf8' }).trim();
}

function release(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: project.path,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

function read(name: string): string {
  return readFileSync(join(project.path, name), 'utf8');
}

describe('a release', () => {
  it('writes the version, dates the changelog, commits and tags', () => {
    const before = new Date().toISOString().slice(0, 10);
    expect(release('minor')).toMatchObject({ status: 0, stderr: '' });
    const after = new Date().toISOString().slice(0, 10);
    expect(JSON.parse(read('package.json')).version).toBe('0.2.0');
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual(['0.2.0', '0.2.0']);
    const text = read('CHANGELOG.md');
    const date = /^## \[0\.2\.0\] - (.+)$/m.exec(text)?.[1];
    expect([before, after]).toContain(date);
    expect(text).toBe(
      changelog
        .replace('## [Unreleased]', `## [Unreleased]\n\n## [0.2.0] - ${date}`)
        .replace(
          `[Unreleased]: ${home}/compare/v0.1.0...HEAD`,
          `[Unreleased]: ${home}/compare/v0.2.0...HEAD\n[0.2.0]: ${home}/compare/v0.1.0...v0.2.0`,
        ),
    );
    expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
    expect(git('tag', '--points-at', 'HEAD')).toBe('v0.2.0');
    expect(git('status', '--porcelain')).toBe('');
  });

  it.each([
    ['patch', '0.1.1'],
    ['minor', '0.2.0'],
    ['major', '1.0.0'],
    ['0.10.3', '0.10.3'],
  ])('named %s makes version %s, and a dry run only shows it', (what, version) => {
    const { status, stdout } = release(what, '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toContain(`would release small ${version} (now 0.1.0)`);
    expect(stdout).toContain('- A door.');
    expect(stdout).not.toContain('The first version.');
    expect(stdout).toContain(`would commit 'Release ${version}' and tag it v${version}`);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('tag')).toBe('');
    expect(read('CHANGELOG.md')).toBe(changelog);
  });
});

describe('a release is refused', () => {
  it('when something is not committed', () => {
    writeFileSync(join(project.path, 'new.txt'), 'new\n');
    expect(release('patch')).toMatchObject({
      status: 2,
      stderr: 'release: commit or remove these changes first:\n?? new.txt\n',
    });
    expect(git('log', '-1', '--format=%s')).toBe('Begin');
  });

  it('on another branch', () => {
    git('switch', '--quiet', '--create', 'feature');
    expect(release('patch', '--dry-run')).toMatchObject({
      status: 2,
      stderr: 'release: releases are made on main, and this is feature\n',
    });
  });

  it('when its tag exists', () => {
    git('tag', 'v0.1.1');
    expect(release('patch')).toMatchObject({
      status: 2,
      stderr: 'release: the tag v0.1.1 exists already\n',
    });
  });

  it('when the changelog names no change', () => {
    release('patch');
    expect(release('patch')).toMatchObject({
      status: 2,
      stderr: 'release: CHANGELOG.md has nothing under [Unreleased]\n',
    });
  });

  it.each(['0.1.0', '0.0.9', 'next', '1.2', '01.2.3'])('as version %s', (version) => {
    expect(release(version)).toMatchObject({ status: 2, stdout: '' });
    expect(read('package.json')).toContain('"version": "0.1.0"');
  });

  it('without a version, or with an unknown option', () => {
    expect(release().stderr).toContain('usage: npm run release -- major|minor|patch');
    expect(release('patch', '--force')).toMatchObject({ status: 2, stdout: '' });
  });
});

describe('publishing', () => {
  it('accepts only the commit that has the tag of its version', () => {
    expect(release('publish', '--dry-run')).toMatchObject({
      status: 2,
      stderr: 'release: the current commit does not have the tag v0.1.0\n',
    });
    release('minor');
    expect(release('publish', '--dry-run')).toMatchObject({
      status: 0,
      stdout: 'would run: npm publish --provenance --access public\n',
    });
    git('commit', '--quiet', '--allow-empty', '--message', 'Go on');
    expect(release('publish', '--dry-run').status).toBe(2);
  });
});
