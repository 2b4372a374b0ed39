// Runs the built program for a moment, so that it leaves V8's compiled form next to each bundle (see src/launch.ts).
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function leaveCompiledForms(version) {
  const scratch = mkdtempSync(join(tmpdir(), 'cofferdam-build-'));
  try {
    for (const messages of firstMessages(version)) run(scratch, messages);
    // The first answers need little of rest.cjs, but calls need much of it: keep what a session with calls compiled.
    for (const name of readdirSync('dist').filter((name) => /^rest\.cjs\..*\.cache$/.test(name)))
      rmSync(join('dist', name));
    run(scratch, [...firstMessages(version)[0], ...calls()], '--allow-run');
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function run(scratch, messages, ...options) {
  const [served, state] = ['served', 'state'].map((name) => join(scratch, name));
  mkdirSync(served, { recursive: true });
  execFileSync(process.execPath, ['dist/cofferdam.cjs', ...options, '--state', state, served], {
    input: messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
}

/** The first messages of a client, for each generation of the protocol. */
function firstMessages(version) {
  const clientInfo = { name: 'build', version };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return [
    [
      { id: 1, method: 'initialize', params },
      { method: 'notifications/initialized' },
      { id: 2, method: 'tools/list' },
    ],
    [
      { id: 1, method: 'server/discover', params: { _meta } },
      { id: 2, method: 'tools/list', params: { _meta } },
    ],
  ];
}

function calls() {
  const path = 'a.txt';
  return [
    ['write_file', { path, content: 'one\ntwo\n' }],
    ['edit_file', { path, edits: [{ oldText: 'one', newText: 'three' }] }],
    ['read_text_file', { path }],
    ['list_directory', { path: '.' }],
    ['directory_tree', { path: '.' }],
    ['search_files', { path: '.', pattern: '**' }],
    ['grep_files', { pattern: 'two' }],
    ['read_text_file', { path: 'missing' }],
    ['run_command', { command: 'ls' }],
    ['move_file', { source: path, destination: 'b.txt' }],
    ['undo', {}],
    ['history', {}],
  ].map(([name, args], index) => ({
    id: 10 + index,
    method: 'tools/call',
    params: { name, arguments: args },
  }));
}
