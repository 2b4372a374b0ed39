/**
 * `npm run package`: makes everything that a release distributes, in build/, and tries it.
 *
 *   npm run package -- --node FILE      tries the tarball with this Node too; may be given more than once
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { catalogueEntry, catalogueTools } from '../packaging/catalogue.mjs';
import { ICON, isInBundle, MCPB, manifestOf } from '../packaging/mcpb.mjs';
import { serverJson } from '../packaging/registry.mjs';
import { completeSbom } from '../packaging/sbom.mjs';
import { tryBundle, tryTarball } from '../packaging/trial.mjs';
import { node, prepare, root, step } from './setup.mjs';

const { values } = parseArgs({ options: { node: { type: 'string', multiple: true, default: [] } } });
const nodes = [process.execPath, ...values.node.map((file) => resolve(file))];
process.chdir(root);
const manifest = readJson('package.json');
const build = resolve('build');
/** Kept from run to run. */
const tools = join(build, '.tools');
const mcpb = join(tools, 'node_modules/@anthropic-ai/mcpb');

await prepare();
emptyBuild();
const offered = toolsOf();
const { filename, files } = JSON.parse(
  npm('pack', '--json', '--ignore-scripts', '--pack-destination', build),
)[0];
const bundle = packBundle(files.map(({ path }) => path));
writeJson('server.json', serverJson(manifest, { name: bundle, sha256: sha256(join(build, bundle)) }));
writeJson(`${manifest.name}-${manifest.version}.cdx.json`, sbom());
mkdirSync(join(build, 'docker'));
const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
writeFileSync(join(build, 'docker/server.yaml'), stringify(catalogueEntry(manifest, commit)));
writeJson('docker/tools.json', catalogueTools(offered));

for (const each of nodes) {
  console.error(
    `\n> try ${filename} with Node ${execFileSync(each, ['--version'], { encoding: 'utf8' }).trim()}`,
  );
  await tryTarball(join(build, filename), manifest, offered, each);
}
console.error(`\n> try ${bundle}`);
await tryBundle(join(build, bundle), mcpb, offered, toolsOf('--read-only'));
console.log(listBuild().join('\n'));

function emptyBuild() {
  mkdirSync(build, { recursive: true });
  for (const name of listBuild()) rmSync(join(build, name), { recursive: true });
}

function listBuild() {
  return readdirSync(build).filter((name) => name !== '.tools');
}

/** The tools that the program itself says it offers, in the default dialect. */
function toolsOf(...options) {
  const args = [manifest.bin.cofferdam, 'tools', '--dialect', 'standard', '--json', ...options];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))[0].tools;
}

/** Packs the part of the tarball that a server needs, with a manifest and an icon. */
function packBundle(paths) {
  const name = `${manifest.name}-${manifest.version}.mcpb`;
  const folder = join(build, 'mcpb');
  for (const path of paths.filter(isInBundle)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(path, join(folder, path));
  }
  copyFileSync('packaging/icon.png', join(folder, ICON));
  writeJson('mcpb/manifest.json', manifestOf(manifest, offered));
  const cli = join(mcpb, 'dist/cli/cli.js');
  if (!existsSync(cli))
    step(`npm install ${MCPB}`, 'npm', [
      'install',
      '--prefix',
      tools,
      '--no-save',
      '--no-audit',
      '--no-fund',
      MCPB,
    ]);
  node('mcpb validate', [cli, 'validate', join(folder, 'manifest.json')]);
  node('mcpb pack', [cli, 'pack', folder, join(build, name)]);
  rmSync(folder, { recursive: true });
  return name;
}

function sbom() {
  const listed = JSON.parse(
    npm('sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only'),
  );
  return completeSbom(
    listed,
    manifest,
    readFileSync('dist/THIRD-PARTY.txt', 'utf8'),
    readJson('package-lock.json'),
  );
}

function npm(...args) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  return execFileSync('npm', args, { encoding: 'utf8', stdio, shell: process.platform === 'win32' });
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function writeJson(name, value) {
  writeFileSync(join(build, name), `${JSON.stringify(value, null, 2)}\n`);
}
