/** Events, state directories and other processes for the tests of the trace. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { lineFormat } from '../../src/state/directory/log/lines.ts';
import type { TraceEvent } from '../../src/trace/events/event.ts';
import { eventRecords } from '../../src/trace/events/stored-event.ts';
import { bundle } from '../built.ts';

export { until } from '../until.ts';

/** An event as a line of the log, and back. */
export const {
  encode: lineOf,
  decode: eventOf,
  longest: LONGEST_LINE,
} = lineFormat<TraceEvent>(eventRecords);

export function anEvent(about: Partial<TraceEvent> = {}): TraceEvent {
  return {
    id: 'server-1',
    at: Date.UTC(2025, 10, 16, 12, 0, 0),
    server: 'server',
    roots: ['/home/anna/app'],
    dialect: 'replay',
    tool: 'read_file',
    paths: [{ path: '/home/anna/app/src/index.ts', how: 'read', bytes: 4096 }],
    outcome: 'ok',
    ms: 1.5,
    bytesIn: 35,
    bytesOut: 4150,
    tokensOut: 1024,
    ...about,
  };
}

/** A state directory that is removed after the test. */
export function aStateDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'cofferdam-trace-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function filesIn(state: string): string[] {
  return readdirSync(join(state, 'trace')).sort();
}

export function linesIn(state: string, name: string): string[] {
  return readFileSync(join(state, 'trace', name), 'utf8')
    .split('\n')
    .slice(0, -1);
}

export interface Writer {
  ended: Promise<{ code: number | null; output: string }>;
}

/** Starts a process that appends `count` events as `server`; `shell` is put before its command line. */
export async function startWriter(
  state: string,
  server: string,
  count: number,
  shell = '',
  settings = {},
): Promise<Writer> {
  const args = [
    await bundle('test/trace/writer.ts', 'writer.mjs'),
    state,
    server,
    String(count),
    JSON.stringify(settings),
  ];
  const child = spawn('bash', ['-c', `${shell} exec "$@"`, 'bash', process.execPath, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
  });
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, output }));
  });
  return { ended };
}
