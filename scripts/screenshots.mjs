// Takes the README's pictures of the Tool Trace page, with the built program, a small tree, real calls and a browser.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs/images');
const LARGEST = 300_000;
const SECONDS = 25;
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
];
const tokens = {
  anna: 'Jc2dV3Yx0mX1f8kq5b7tW9zR4uA6sE0hLpN2gQvTyIo',
  agent: 'Qw3eR5tY7uI9oP1aS2dF4gH6jK8lZ0xC3vB5nM7qW9e',
  ci: 'mB8sK1nD7wZ3xV5cF9gH2jL4qP6rT0yU8iO1eA3sWdE',
  nightly: 'zX4cV6bN8mQ0wE2rT5yU7iO9pA1sD3fG6hJ8kL0qWe2',
};

const tree = {
  'README.md': '# Harbour\n\nBooks berths for boats.\n',
  'package.json': '{ "name": "harbour", "version": "1.4.0" }\n',
  'src/server.ts': serverSource(),
  'src/berths.ts': "export const berths = ['north', 'south', 'quay'];\n",
  'src/routes/bookings.ts':
    "import { berths } from '../berths.ts';\n\nexport const bookings = () => berths;\n",
  'src/routes/login.ts': 'export function login(name: string) {\n  return name.length > 0;\n}\n',
  'src/routes/prices.ts': 'export const prices = { north: 40, south: 35, quay: 60 };\n',
  'src/views/calendar.ts': 'export const calendar = () => "<table></table>";\n',
  'test/server.test.ts': "import { start } from '../src/server.ts';\n\nstart(0);\n",
  'test/bookings.test.ts': "import { bookings } from '../src/routes/bookings.ts';\n\nbookings();\n",
  'docs/api/bookings.md': '# Bookings\n\nGET /bookings\n',
};

const executablePath = [process.env.CHROMIUM ?? '', ...PLACES].find(
  (path) => path !== '' && existsSync(path),
);
if (!executablePath) fail('no Chromium was found: install chromium, or name one in CHROMIUM');
if (!existsSync(join(root, 'dist/page/page.js'))) fail('the program is not built: npm run build');

const directory = mkdtempSync(join(tmpdir(), 'harbour-'));
const served = join(directory, 'harbour');
let server;
let browser;
try {
  layOut();
  server = spawn(process.execPath, [join(root, 'dist/cofferdam.cjs'), ...serverArguments()], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const base = await addressOf(server);
  const [anna, agent, ci, ...nightly] = await Promise.all([
    openSession(base, '/mcp', tokens.anna),
    openSession(base, '/mcp/replay', tokens.agent),
    openSession(base, '/mcp/repo', tokens.ci),
    ...['patch', 'workspace', 'fileeditor'].map((name) => openSession(base, `/mcp/${name}`, tokens.nightly)),
  ]);
  await work(anna, agent, ci, nightly);
  mkdirSync(images, { recursive: true });
  browser = await chromium.launch({
    executablePath,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  await picture(base, 'trace-light', { width: 1280, height: 800 }, 'light', openEdit);
  await picture(base, 'trace-dark', { width: 1280, height: 800 }, 'dark', openTree);
  await picture(base, 'trace-phone', { width: 390, height: 844 }, 'light', async () => {});
} finally {
  await browser?.close();
  server?.kill();
  rmSync(directory, { recursive: true, force: true });
}

function layOut() {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(served, path)), { recursive: true });
    writeFileSync(join(served, path), text);
  }
  const rights = { anna: 'read-write', agent: 'read-write', ci: 'read-only repo', nightly: 'read-write' };
  const lines = Object.entries(tokens).map(([name, token]) => `${name} ${token} ${rights[name]}\n`);
  writeFileSync(join(directory, 'tokens'), lines.join(''), { mode: 0o600 });
}

function serverArguments() {
  const where = [
    '--http',
    '0',
    '--token-file',
    join(directory, 'tokens'),
    '--state',
    join(directory, 'state'),
  ];
  return [...where, '--dialect', 'standard,replay,patch,workspace,fileeditor,repo', served];
}

async function addressOf(child) {
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => {
    said += chunk;
  });
  for (;;) {
    const found = /serving (http:\/\/[^/]+)\/mcp/.exec(said);
    if (found) return found[1];
    if (child.exitCode !== null) fail(`the program did not start: ${said}`);
    await pause(20);
  }
}

/** Opens a client's session, and returns a function that calls a tool. */
async function openSession(base, path, token) {
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    Authorization: `Bearer ${token}`,
  };
  const send = (body) =>
    fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...body }) });
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'demo', version: '1' },
  };
  const opened = await send({ id: 0, method: 'initialize', params });
  headers['Mcp-Session-Id'] = opened.headers.get('mcp-session-id');
  await send({ method: 'notifications/initialized' });
  let id = 1;
  return async (name, args) => {
    const answer = await send({ id: id++, method: 'tools/call', params: { name, arguments: args } });
    await answer.text();
  };
}

/** A morning at the harbour: reading and searching in waves, some edits, a few mistakes. */
async function work(anna, agent, ci, [patch, workspace, fileeditor]) {
  const files = Object.keys(tree);
  const paths = files.map((file) => join(served, file));
  await fileeditor('set_workspace', { path: served });
  const searches = [
    () => agent('grep_files', { regex: 'berths|bookings', directory: '.' }),
    () => ci('search_files', { pattern: 'export' }),
    () => agent('directory_tree', { path: '.' }),
    () => agent('glob_search', { globs: ['**/*.ts'], directory: '.' }),
    () => ci('get_repo_overview', {}),
    () => patch('shell_exec', { command: 'grep', args: ['-rn', 'berths', 'src'], cwd: served }),
    () => workspace('list_dir', { dir: 'src', recursive: true }),
    () => fileeditor('read_files', { path: files[2], line_range: '1-4' }),
    () => patch('append', { path: paths.at(-1), content: 'POST /bookings\n' }),
    () => workspace('run_command', { command: 'make', args: ['-v'] }),
  ];
  for (let second = 0; second < SECONDS; second++) {
    const began = Date.now();
    const wave = 3 + Math.round(5 * Math.sin(second / 3) ** 2);
    for (let call = 0; call < wave; call++) {
      const at = (second * 7 + call * 3) % files.length;
      const reads = [
        () => anna('read_text_file', { path: files[at] }),
        () => agent('read_file', { path: files[at] }),
        () => anna('read_text_file', { path: files[at], limit: 20 }),
        () => workspace('read_file', { file: files[at] }),
        () => fileeditor('read_files', { path: files[at] }),
      ];
      await reads[call % reads.length]();
    }
    await searches[second % searches.length]();
    if (second % 2 === 0) await raisePrice(anna, second / 2);
    if (second % 3 === 0)
      await agent('write_file', { path: `src/views/page-${second}.ts`, content: 'export const page = 1;\n' });
    if (second % 5 === 4) await anna('read_multiple_files', { paths: files.slice(2, 7) });
    if (second % 7 === 3) await agent('read_file', { path: `src/old-${second}.ts` });
    if (second % 11 === 8) await agent('read_file', { path: '../outside.txt' });
    await pause(Math.max(0, 1000 - (Date.now() - began)));
  }
  await ci('search_files', { pattern: 'createServer' });
  await replace(anna, 'src/server.ts', ...serverEdit());
  await ci('read_file', { path: 'src/server.ts' });
  await agent('read_file', { path: 'test/server.test.ts' });
}

function raisePrice(call, by) {
  return replace(call, 'src/routes/prices.ts', `north: ${40 + by}`, `north: ${41 + by}`);
}

function replace(call, path, oldText, newText) {
  return call('edit_file', { path, edits: [{ oldText, newText }] });
}

async function picture(base, name, viewport, colorScheme, prepare) {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: name === 'trace-phone' ? 1.5 : 1.25,
  });
  const page = await context.newPage();
  await page.goto(`${base}/#token=${tokens.anna}`);
  await page.locator('#state', { hasText: 'Live' }).waitFor();
  await page.locator('.chart-calls path[d^=M]').waitFor({ state: 'attached' });
  await page.locator('.place').first().waitFor({ state: 'attached' });
  await prepare(page);
  await page.evaluate('document.fonts.ready');
  await pause(500);
  const path = join(images, `${name}.png`);
  await page.screenshot({ path });
  await context.close();
  const { size } = statSync(path);
  if (size > LARGEST) fail(`${path} has ${size} bytes, more than ${LARGEST}`);
  console.log(`${path} ${size}`);
}

async function openEdit(page) {
  await page.locator('.rows .row', { hasText: 'server.ts' }).filter({ hasText: 'edit_file' }).first().click();
  await page.locator('.entry .line.added').first().waitFor();
}

async function openTree(page) {
  await page.getByRole('treeitem', { name: /^src,/ }).locator('.twisty').first().click();
  await page
    .getByRole('treeitem', { name: /^routes,/ })
    .locator('.twisty')
    .first()
    .click();
  await page.locator('.rows .row').nth(4).hover();
}

function serverSource() {
  return `import { createServer } from 'node:http';
import { bookings } from './routes/bookings.ts';

export function start(port: number) {
  const server = createServer((request, response) => {
    response.end(JSON.stringify(bookings()));
  });
  return server.listen(port);
}
`;
}

function serverEdit() {
  return [
    '    response.end(JSON.stringify(bookings()));\n',
    "    if (request.url !== '/bookings') {\n      response.writeHead(404).end();\n      return;\n    }\n    response.setHeader('Content-Type', 'application/json');\n    response.end(JSON.stringify(bookings()));\n",
  ];
}

function fail(message) {
  throw new Error(message);
}
