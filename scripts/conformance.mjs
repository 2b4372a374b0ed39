// Runs the protocol's own suites over HTTP, for both generations of the protocol, and the inspector's command line.
// Every line of the report says what it ran against: the fixture (this HTTP server with the tools and resources that
// the suites ask for by name), the product's server code with the replay dialect, or the built program. The suites do
// not speak stdio: test/server/stdio-protocol.test.ts makes those of their checks that do not depend on HTTP.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { install, node, root } from './setup.mjs';

process.chdir(root);

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const OLD = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';
const NEW = 'node_modules/conformance-next/dist/index.js';
const EXPECTED = 'test/server/conformance-expected.yml';

/** The scenarios that work with the product itself. The others need tools and resources with certain names. */
const OF_THE_PRODUCT = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'dns-rebinding-protection',
    'input-required-result-unsupported-methods',
  ],
};
const TASKS = /- (tasks-[\w-]+)/g;

install();
node('build', ['scripts/build.mjs']);

const newer = findNewerNode();
if (!newer) {
  console.log('Skipped: the suites and the inspector need Node 22 or newer, and npm cannot fetch one here.');
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'cofferdam-conformance-'));
let failures = 0;
try {
  await withServer('fixture', (url) => {
    suite('the fixture, 0.1.16, all scenarios', OLD, ['--url', url, '--suite', 'all']);
    for (const version of ['2025-06-18', '2025-11-25', '2026-07-28'])
      suite(`the fixture, 0.2.0-alpha.12, all scenarios of ${version}`, NEW, [
        ...['--url', url, '--suite', 'all', '--spec-version', version],
      ]);
    for (const [, name] of readFileSync(EXPECTED, 'utf8').matchAll(TASKS))
      suite(`the fixture, 0.2.0-alpha.12, ${name}`, NEW, [
        ...['--url', url, '--scenario', name, '--expected-failures', EXPECTED],
      ]);
  });
  await withServer('product', (url) => {
    for (const [version, names] of Object.entries(OF_THE_PRODUCT))
      for (const name of names)
        suite(`the product's server code, ${version}, ${name}`, NEW, [
          ...['--url', url, '--scenario', name, '--spec-version', version],
        ]);
  });
  await inspect();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? '\nAll as expected.' : `\n${failures} not as expected.`);
process.exitCode = failures === 0 ? 0 : 1;

function suite(title, program, args) {
  const { status, stdout, stderr } = spawnSync(newer, [program, 'server', ...args], {
    encoding: 'utf8',
    cwd: root,
    timeout: 300_000,
  });
  const lines = `${stdout}${stderr}`.split('\n').map(plain);
  const totals = lines.filter((line) => /^[✓✗] |^Total:|^Passed:/.test(line));
  const problems = lines.filter((line) => /FAILURE|WARNING/.test(line));
  report(title, status === 0, status === 0 ? totals : [...totals, ...problems]);
}

/** npx fetches the inspector, which is not a dependency. Without a network the report says that it is missing. */
async function inspect() {
  const npx = join(dirname(process.env.npm_execpath ?? ''), 'npx-cli.js');
  const inspector = (...args) =>
    spawnSync(newer, [npx, '-y', INSPECTOR, '--cli', ...args], {
      encoding: 'utf8',
      cwd: folder,
      timeout: 120_000,
      env: { ...process.env, PATH: `${dirname(newer)}:${process.env.PATH}`, HOME: folder },
    });
  if (inspector('--version').status !== 0) {
    console.log(`\nThe inspector (${INSPECTOR}) could not be fetched here: left out.`);
    return;
  }
  writeFileSync(join(folder, 'hello.txt'), 'hello\n');
  const token = 'a token for this run only'.replaceAll(' ', '-');
  const child = spawn(process.execPath, ['dist/cofferdam.cjs', '--http', '0', folder], {
    env: { ...process.env, COFFERDAM_TOKEN: token },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const url = await firstMatch(child.stderr, /serving (\S+)/);
  const target = ['--server-url', url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
  for (const era of ['legacy', 'modern']) {
    const common = [...target, '--protocol-era', era, '--format', 'json', '--quiet'];
    const list = inspector(...common, '--method', 'tools/list', '--strict');
    report(`the built program, inspector, ${era}, tools/list --strict`, list.status === 0, [list.stderr]);
    const asked = ['--method', 'tools/call', '--tool-name', 'read_file', '--tool-args-json'];
    const call = inspector(...common, ...asked, '{"path":"hello.txt"}');
    report(`the built program, inspector, ${era}, tools/call`, call.stdout.includes('hello\\n'), [
      call.stdout,
      call.stderr,
    ]);
  }
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}

async function withServer(which, use) {
  const child = spawn(newer, ['test/server/conformance-server.ts', which, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const url = await firstMatch(child.stdout, /(http\S+)/);
  try {
    use(url);
  } finally {
    child.stdin.end();
    await new Promise((resolve) => child.once('exit', resolve));
  }
}

function firstMatch(stream, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) resolve(found[1]);
    });
    stream.once('end', () => reject(new Error(`the server did not start: ${text}`)));
  });
}

function report(title, good, lines) {
  if (!good) failures++;
  console.log(`\n${good ? 'as expected' : 'NOT AS EXPECTED'}: ${title}`);
  for (const line of lines) if (line.trim() !== '') console.log(`  ${line.trim()}`);
}

function plain(line) {
  return line.replace(/\u001b\[\d+m/g, '');
}

/** npm fetches a newer Node only where this one is too old: it is large, and nothing else needs it. */
function findNewerNode() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  const prefix = join(root, 'node_modules/.cache/newer-node');
  spawnSync('npm', ['install', '--prefix', prefix, '--loglevel=error', `${name}@24.21.0`], {
    stdio: ['ignore', 2, 2],
  });
  const fetched = join(prefix, 'node_modules', name, 'bin/node');
  return spawnSync(fetched, ['--version']).status === 0 ? fetched : undefined;
}
