/**
 * Makes a release in two steps, because npm accepts provenance only from a build server.
 *
 *   npm run release -- minor        on the main branch: version, changelog, commit and tag
 *   npm run release -- publish      on the build server, for the tag: checks, then publishes with provenance
 *
 * `--dry-run` shows what a step would do and changes nothing. The project is the current directory.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const BRANCH = 'main';
const REMOTE = 'origin';
const CHANGELOG = 'CHANGELOG.md';
/** The files that carry the version. */
const MANIFESTS = ['package.json', 'package-lock.json'];
const USAGE = 'usage: npm run release -- major|minor|patch|X.Y.Z|publish [--dry-run]';

class Refusal extends Error {}

try {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [what, ...more] = positionals;
  if (what === undefined || more.length > 0) throw new Refusal(USAGE);
  if (what === 'publish') publish(values['dry-run']);
  else prepare(what, values['dry-run']);
} catch (error) {
  if (!(error instanceof Refusal) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  console.error(`release: ${error.message}`);
  process.exitCode = 2;
}

function prepare(what, isDryRun) {
  const manifest = readManifest('package.json');
  const version = nextVersion(manifest.version, what);
  const tag = `v${version}`;
  requireReleasable(tag);
  const changelog = releasedChangelog(readFileSync(CHANGELOG, 'utf8'), version, manifest);
  if (isDryRun) {
    console.log(`would release ${manifest.name} ${version} (now ${manifest.version})`);
    console.log(`would write ${version} to ${MANIFESTS.join(' and ')}`);
    console.log(`would date this section of ${CHANGELOG}:\n\n${sectionOf(changelog, version)}\n`);
    console.log(`would commit 'Release ${version}' and tag it ${tag}`);
    return;
  }
  for (const file of MANIFESTS) writeVersion(file, version);
  writeFileSync(CHANGELOG, changelog);
  git('add', ...MANIFESTS, CHANGELOG);
  git('commit', '--quiet', '--message', `Release ${version}`);
  git('tag', '--annotate', tag, '--message', `${manifest.name} ${version}`);
  console.log(`committed and tagged ${tag}; this publishes it: git push --atomic ${REMOTE} ${BRANCH} ${tag}`);
}

/** Publishes exactly the commit that the tag names. */
function publish(isDryRun) {
  const { version } = readManifest('package.json');
  requireClean();
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`))
    throw new Refusal(`the current commit does not have the tag v${version}`);
  if (sectionOf(readFileSync(CHANGELOG, 'utf8'), version) === '')
    throw new Refusal(`${CHANGELOG} has no section [${version}]`);
  const args = ['publish', '--provenance', '--access', 'public'];
  if (isDryRun) return console.log(`would run: npm ${args.join(' ')}`);
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  process.exitCode = status ?? 1;
}

function requireReleasable(tag) {
  requireClean();
  const branch = git('branch', '--show-current');
  if (branch !== BRANCH)
    throw new Refusal(`releases are made on ${BRANCH}, and this is ${branch || 'no branch'}`);
  if (git('tag', '--list', tag) !== '') throw new Refusal(`the tag ${tag} exists already`);
}

function requireClean() {
  const changes = git('status', '--porcelain');
  if (changes !== '') throw new Refusal(`commit or remove these changes first:\n${changes}`);
}

function nextVersion(now, what) {
  const parts = now.split('.').map(Number);
  const [major, minor, patch] = parts;
  if (what === 'major') return `${major + 1}.0.0`;
  if (what === 'minor') return `${major}.${minor + 1}.0`;
  if (what === 'patch') return `${major}.${minor}.${patch + 1}`;
  if (!/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(what)) throw new Refusal(USAGE);
  const asked = what.split('.').map(Number);
  const differs = asked.findIndex((part, index) => part !== parts[index]);
  if (differs < 0 || asked[differs] < parts[differs]) throw new Refusal(`${what} does not come after ${now}`);
  return what;
}

/** Gives the section 'Unreleased' its version and date, and adds a new 'Unreleased' above it. */
function releasedChangelog(text, version, manifest) {
  if (sectionOf(text, 'Unreleased').split('\n').slice(1).join('').trim() === '')
    throw new Refusal(`${CHANGELOG} has nothing under [Unreleased]`);
  const today = new Date().toISOString().slice(0, 10);
  const home = manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, '');
  return text
    .replace(/^## \[Unreleased\]$/m, `## [Unreleased]\n\n## [${version}] - ${today}`)
    .replace(
      /^\[Unreleased\]: .*$/m,
      `[Unreleased]: ${home}/compare/v${version}...HEAD\n[${version}]: ${home}/compare/v${manifest.version}...v${version}`,
    );
}

/** The section of the changelog, from its heading to the next one, or to the links at the end. */
function sectionOf(changelog, name) {
  const lines = changelog.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`## [${name}]`));
  if (first < 0) return '';
  const length = lines.slice(first + 1).findIndex((line) => /^## |^\[[^\]]+\]: /.test(line));
  return lines
    .slice(first, length < 0 ? undefined : first + 1 + length)
    .join('\n')
    .trim();
}

function readManifest(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function writeVersion(file, version) {
  const manifest = readManifest(file);
  manifest.version = version;
  // The lock file names the version of the project a second time.
  if (manifest.packages?.['']) manifest.packages[''].version = version;
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}
