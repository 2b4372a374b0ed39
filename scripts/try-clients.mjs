/**
 * Tries `cofferdam init` with the clients that npm has, in a home directory of its own: `init --write`, what the client
 * then lists, `init --remove`, and the client's own command that `init` prints. They are hundreds of megabytes, so no
 * test does this: node scripts/try-clients.mjs [FOLDER], where FOLDER keeps the clients for the next time.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { root } from './setup.mjs';

/** `works`: what the client prints when it has listed the server, or even started it. */
const CLIENTS = [
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code',
    list: ['claude', 'mcp', 'list'],
    works: /Connected/,
  },
  // It starts servers only in a folder that somebody has trusted.
  {
    id: 'gemini',
    package: '@google/gemini-cli',
    list: ['gemini', 'mcp', 'list'],
    works: /cofferdam: .*\(stdio\)/,
  },
  { id: 'codex', package: '@openai/codex', list: ['codex', 'mcp', 'list'], works: /cofferdam .* enabled/ },
  {
    id: 'opencode',
    package: 'opencode-ai',
    list: ['opencode', 'mcp', 'list'],
    works: /cofferdam.*connected/,
  },
];

const [named] = process.argv.slice(2);
const folder = named ? resolve(named) : mkdtempSync(join(tmpdir(), 'clients-'));
const program = join(root, 'dist/cofferdam.cjs');
try {
  for (const client of CLIENTS) tryClient(client);
} finally {
  if (!named) rmSync(folder, { recursive: true, force: true });
}

function tryClient({ id, package: name, list, works }) {
  const place = join(folder, id);
  if (!existsSync(join(place, 'node_modules'))) install(place, name);
  const home = mkdtempSync(join(tmpdir(), 'home-'));
  const app = join(home, 'app');
  mkdirSync(app);
  const path = [join(place, 'node_modules/.bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(
    delimiter,
  );
  const run = ([command, ...args]) => {
    const env = { HOME: home, PATH: path, TERM: 'dumb' };
    const { stdout, stderr } = spawnSync(command, args, { cwd: app, env, encoding: 'utf8', timeout: 60_000 });
    return `${stdout}${stderr}`;
  };
  const init = (...args) => run([process.execPath, program, 'init', id, '--read-only', ...args]);
  try {
    const added = init('--write');
    const file = /to (\/.*)\.$/m.exec(added)[1];
    say(id, 'lists what init has written', works.test(run(list)));
    init('--remove');
    say(id, 'knows nothing of it afterwards', !works.test(run(list)));
    rmSync(file, { force: true });
    const line = /^ {2}(\S+ mcp add .*)$/m.exec(init())[1];
    run(['/bin/sh', '-c', line]);
    say(id, 'lists what its own command has added', works.test(run(list)));
    say(id, 'its own command has written the same entry', init('--write').includes('has this entry already'));
    if (process.env.VERBOSE) console.log(readFileSync(file, 'utf8'));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function install(place, name) {
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private":true}');
  spawnSync('npm', ['install', '--no-audit', '--no-fund', name], { cwd: place, stdio: ['ignore', 2, 2] });
}

function say(id, what, isSo) {
  console.log(`${isSo ? 'yes' : 'NO '}  ${id}: ${what}`);
  if (!isSo) process.exitCode = 1;
}
