// HTTP under load: 64 connections with 4 KB reads and mixed calls, in both protocol eras, against the same engine on
// stdio, against a bare handler that reads the same file, and against the protocol library's own transports
// (library-http.mjs). Ratios within one run; memory before and after.
//   node bench/http.mjs [--calls 20000] [--long 20000] [--program dist/cofferdam.cjs]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { everyDialect, everyTool } from './every-dialect.mjs';

const CONNECTIONS = 64;
const ROUNDS = 4;
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '20000' },
    long: { type: 'string', default: '20000' },
    program: { type: 'string', default: 'dist/cofferdam.cjs' },
  },
});
const calls = Number(values.calls);
const token = 'a-token-that-is-used-by-this-run-only';
const folder = mkdtempSync(join(tmpdir(), 'cofferdam-bench-'));
const children = [];

const read = () => ['read_file', { path: 'four-kb.txt' }];
const mixed = (connection, turn) =>
  [
    ['read_file', { path: 'four-kb.txt' }],
    ['list_directory', { path: 'many' }],
    ['get_file_info', { path: 'four-kb.txt' }],
    ['edit_file', { path: `own/${connection}.txt`, edits: [{ oldText: 'same', newText: 'same' }] }],
    ['read_multiple_files', { paths: ['many/1.txt', 'many/2.txt'] }],
    ['write_file', { path: `own/${connection}-new.txt`, content: `turn ${turn}\n` }],
  ][turn % 6];

function layOut() {
  mkdirSync(join(folder, 'many'));
  mkdirSync(join(folder, 'own'));
  writeFileSync(join(folder, 'four-kb.txt'), 'sixteen letters\n'.repeat(256));
  for (let at = 0; at < 50; at++) writeFileSync(join(folder, `many/${at}.txt`), `file ${at}\n`.repeat(20));
  for (let at = 0; at < CONNECTIONS; at++) writeFileSync(join(folder, `own/${at}.txt`), 'the same line\n');
}

/** Starts a bare handler, which only reads the file and wraps it as a tool's answer. */
async function startBare() {
  const source = `
    const { createServer } = require('node:http');
    const { readFile } = require('node:fs/promises');
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => { body += chunk; }).on('end', async () => {
        const { id, params } = JSON.parse(body);
        const text = await readFile(${JSON.stringify(folder)} + '/' + params.arguments.path, 'utf8');
        const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) });
        response.end(answer);
      });
    }).listen(0, '127.0.0.1', function () { console.error('port ' + this.address().port); });`;
  return listening(
    spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'ignore', 'pipe'] }),
    /port (\d+)/,
  );
}

function startLibrary() {
  const program = fileURLToPath(new URL('library-http.mjs', import.meta.url));
  return listening(
    spawn(process.execPath, [program, folder], { stdio: ['ignore', 'ignore', 'pipe'] }),
    /port (\d+)/,
  );
}

function startHttp() {
  const args = [values.program, '--http', '0', '--dialect', Object.keys(everyDialect).join(','), folder];
  const env = { ...process.env, COFFERDAM_TOKEN: token };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  return listening(child, /serving http:\/\/127\.0\.0\.1:(\d+)/);
}

function listening(child, pattern) {
  children.push(child);
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) resolve({ child, port: Number(found[1]) });
    });
    child.once('exit', () => reject(new Error(text)));
  });
}

async function startStdio() {
  const child = spawn(process.execPath, [values.program, '--dialect', 'replay', folder], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  children.push(child);
  const waiting = new Map();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const id = Number(/"id":(\d+)/.exec(line.slice(-40))?.[1] ?? JSON.parse(line).id);
      waiting.get(id)?.(line);
      waiting.delete(id);
    }
  });
  let next = 0;
  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = next++;
      waiting.set(id, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  await ask('initialize', hello());
  return ask;
}

/** Keeps as many calls under way on stdio as there are connections over HTTP. */
async function overStdio(ask, work, count) {
  return measure(count, async (connection, turn) => {
    const [name, args] = work(connection, turn);
    return isGood(await ask('tools/call', { name, arguments: args }));
  });
}

async function overHttp(port, kind, work, count) {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  const headers = await Promise.all(sockets.map((ask) => kind.begin(ask)));
  const result = await measure(count, async (connection, turn) => {
    const [name, args] = work(connection, turn);
    const { status, body } = await sockets[connection](
      kind.head(headers[connection], name),
      kind.body(turn, name, args),
    );
    return status === 200 && isGood(body);
  });
  await Promise.all(sockets.map((ask, connection) => kind.finish?.(ask, headers[connection])));
  for (const ask of sockets) ask.end();
  return result;
}

async function measure(count, call) {
  const times = new Float64Array(count);
  let started = 0;
  let errors = 0;
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      for (let turn = 0; started < count; turn++) {
        const at = started++;
        const from = performance.now();
        if (!(await call(connection, turn))) errors++;
        times[at] = performance.now() - from;
      }
    }),
  );
  const seconds = (performance.now() - begin) / 1000;
  times.sort();
  const part = (share) => times[Math.min(count - 1, Math.floor(count * share))];
  return { rate: count / seconds, p50: part(0.5), p99: part(0.99), errors };
}

function isGood(answer) {
  return answer.includes('"result"') && !answer.includes('"isError":true');
}

function hello() {
  return { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
}

const common = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nAuthorization: Bearer ${token}\r\n`;
const call = (id, name, args, meta = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...meta } });

const plain = { begin: async () => common, head: (head) => head, body: call };

const session = {
  /** Ends the session, because a token may have only so many. */
  finish: (ask, head) => ask(head.replace('POST', 'DELETE'), ''),
  async begin(ask) {
    const { head } = await ask(
      common,
      JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: hello() }),
    );
    const id = /mcp-session-id: (\S+)/i.exec(head)[1];
    return `${common}Mcp-Session-Id: ${id}\r\nMcp-Protocol-Version: 2025-11-25\r\n`;
  },
  head: (head) => head,
  body: call,
};

const meta = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const statelessAt = (path) => ({
  begin: async () =>
    `${common.replace('/mcp ', `${path} `)}Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n`,
  head: (head, name) => `${head}Mcp-Name: ${name}\r\n`,
  body: (id, name, args) => call(id, name, args, meta),
});
const stateless = statelessAt('/mcp');

/** One connection with one request at a time: as little of a client as possible, so that the server is measured. */
async function open(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  let parts = '';
  let settle;
  let fail;
  socket.setEncoding('latin1').on('data', (chunk) => {
    parts += chunk;
    const end = parts.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = parts.slice(0, end);
    const status = Number(head.slice(9, 12));
    const sized = status === 204 ? [0, 0] : /content-length: (\d+)/i.exec(head);
    // A slow call is answered as a stream of events.
    if (sized ? parts.length < end + 4 + Number(sized[1]) : !parts.endsWith('\r\n0\r\n\r\n')) return;
    const body = parts.slice(end + 4);
    parts = '';
    settle({ status, head, body });
  });
  socket.on('error', (error) => fail?.(error)).on('close', () => fail?.(new Error('closed')));
  const ask = (head, body) =>
    new Promise((resolve, reject) => {
      settle = resolve;
      fail = reject;
      socket.write(`${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    });
  ask.end = () => {
    fail = undefined;
    socket.destroy();
  };
  return ask;
}

async function settledRss(child) {
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const kB = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))[1]);
  return Math.round(kB / 1024);
}

function table(rows) {
  const bare = rows[0].rate;
  console.log(`${'what'.padEnd(38)} calls/s   p50 ms   p99 ms   errors   of bare   of stdio`);
  let stdio = bare;
  for (const { name, rate, p50, p99, errors } of rows) {
    if (name.endsWith('stdio')) stdio = rate;
    const cells = [
      rate.toFixed(0).padStart(7),
      p50.toFixed(2).padStart(8),
      p99.toFixed(2).padStart(8),
      String(errors).padStart(8),
      `${(rate / bare).toFixed(2)} ×`.padStart(9),
      `${(rate / stdio).toFixed(2)} ×`.padStart(10),
    ];
    console.log(`${name.padEnd(38)} ${cells.join(' ')}`);
  }
}

async function main() {
  try {
    layOut();
    const bare = await startBare();
    const library = await startLibrary();
    const http = await startHttp();
    const stdio = await startStdio();
    const rows = [];
    /** Takes turns, so that a busy machine is equally unfair to all, and adds the best round of each contestant. */
    const addBest = async (contestants) => {
      const best = new Map();
      for (let round = 0; round < ROUNDS; round++) {
        for (const [name, run] of round % 2 === 0 ? contestants : contestants.toReversed()) {
          const result = await run();
          const errors = result.errors + (best.get(name)?.errors ?? 0);
          const better = result.rate > (best.get(name)?.rate ?? 0) ? result : best.get(name);
          best.set(name, { ...better, errors });
        }
      }
      for (const [name] of contestants) rows.push({ name, ...best.get(name) });
    };
    for (const [name, work] of [
      ['4 KB reads', read],
      ['mixed calls', mixed],
    ]) {
      // A warm-up that does not count: code that has not run yet is always slow.
      await overHttp(http.port, session, work, 2000);
      await overHttp(http.port, stateless, work, 2000);
      await overStdio(stdio, work, 2000);
      if (work === read) {
        await overHttp(bare.port, plain, work, 2000);
        await overHttp(library.port, session, work, 2000);
        await overHttp(library.port, stateless, work, 2000);
      }
      const each = Math.ceil(calls / ROUNDS);
      await addBest([
        ...(work === read ? [[`${name}, bare handler`, () => overHttp(bare.port, plain, work, each)]] : []),
        [`${name}, stdio`, () => overStdio(stdio, work, each)],
        [`${name}, HTTP with a session`, () => overHttp(http.port, session, work, each)],
        [`${name}, HTTP without one`, () => overHttp(http.port, stateless, work, each)],
        ...(work === read
          ? [
              [`${name}, library with a session`, () => overHttp(library.port, session, work, each)],
              [`${name}, library without one`, () => overHttp(library.port, stateless, work, each)],
            ]
          : []),
      ]);
    }
    table(rows);
    const before = await settledRss(http.child);
    const long = [];
    for (const [dialect, tools] of Object.entries(everyDialect)) {
      const path = `/mcp/${dialect}${dialect === 'fileeditor' ? `?workspace=${folder}` : ''}`;
      const share = Math.ceil(Number(values.long) / Object.keys(everyDialect).length);
      long.push(await overHttp(http.port, statelessAt(path), everyTool(tools), share));
    }
    const after = await settledRss(http.child);
    console.log(`\nmemory: ${before} MB, after ${values.long} more mixed calls ${after} MB`);
    const errors = [...rows, ...long].reduce((sum, row) => sum + row.errors, 0);
    console.log(`errors: ${errors}`);
    process.exitCode = errors === 0 ? 0 : 1;
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))));
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
