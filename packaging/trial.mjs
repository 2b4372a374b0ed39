/** Tries what was packed as its users will: installed or unpacked in an empty folder, started as it says. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const windows = process.platform === 'win32';

/** Installs the tarball, and uses its command, its server and its library. `node` is the Node to try it with. */
export function tryTarball(tarball, manifest, tools, node = process.execPath) {
  return inEmptyFolder((folder) => {
    const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
    const options = { cwd: folder, encoding: 'utf8', env, shell: windows };
    writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball], options);
    const command = join(folder, 'node_modules/.bin/cofferdam');
    same('--version', execFileSync(command, ['--version'], options).trim(), manifest.version);
    writeFileSync(join(folder, 'a.txt'), 'hello\n');
    const call = ['call', 'read_text_file', '{"path":"a.txt"}', '.'];
    const program = join(folder, 'node_modules/cofferdam', manifest.bin.cofferdam);
    same('a call', execFileSync(node, [program, ...call], { ...options, shell: false }), 'hello\n');
    same('tools/list', toolsOf({ command: node, args: [program, '.'] }, folder), namesOf(tools));
    const library = "import { open } from 'cofferdam'; const files = await open('.', { history: false });";
    const use =
      "console.log((await files.list('.')).some(({ name }) => name === 'a.txt')); await files.close();";
    writeFileSync(join(folder, 'library.js'), library + use);
    same('the library', execFileSync(node, ['library.js'], { ...options, shell: false }), 'true\n');
  });
}

/**
 * Unpacks the bundle with `tool`, the folder of the program that packs them, and starts the server as the manifest
 * says, with a user's answers put in as that program does it.
 */
export function tryBundle(bundle, tool, tools, readOnlyTools) {
  return inEmptyFolder(async (folder) => {
    const { getMcpConfigForManifest } = await import(pathToFileURL(join(tool, 'dist/index.js')).href);
    execFileSync(process.execPath, [
      join(tool, 'dist/cli/cli.js'),
      'unpack',
      bundle,
      join(folder, 'unpacked'),
    ]);
    const manifest = JSON.parse(readFileSync(join(folder, 'unpacked/manifest.json'), 'utf8'));
    const start = (userConfig) =>
      getMcpConfigForManifest({
        ...{ manifest, userConfig, extensionPath: join(folder, 'unpacked'), pathSeparator: '/' },
        systemDirs: {},
      });
    const directories = [folder, tmpdir()];
    if (await start({})) throw new Error('the bundle starts without a directory');
    same('tools/list', toolsOf(await start({ directories }), folder), namesOf(tools));
    const locked = await start({ directories, read_only: true });
    same('tools/list, read-only', toolsOf(locked, folder), namesOf(readOnlyTools));
  });
}

/** The names that a server on stdio lists. */
function toolsOf({ command, args, env = {} }, cwd) {
  const clientInfo = { name: 'trial', version: '1' };
  const messages = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ];
  const { stdout, stderr } = spawnSync(command === 'node' ? process.execPath : command, args, {
    cwd,
    encoding: 'utf8',
    input: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
    env: { ...process.env, ...env },
  });
  const answers = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const listed = answers.find(({ id }) => id === 2)?.result;
  if (!listed) throw new Error(`the server does not list its tools:\n${stdout}${stderr}`);
  return namesOf(listed.tools);
}

function namesOf(tools) {
  return tools.map(({ name }) => name).sort();
}

function same(what, found, wanted) {
  if (JSON.stringify(found) === JSON.stringify(wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

async function inEmptyFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'cofferdam-trial-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
