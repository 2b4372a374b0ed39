/** A client for one MCP server on stdio, with as little as possible between the clock and the wire. */
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { endGroup, start } from './children.mjs';

const CALL_MS = 60_000;
/** How much of a line it takes to tell an answer from a notification or a log line. */
const HEAD = 40;
const NOT_AN_ANSWER = /^[^{]|"method":/;
const HELLO = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

export class Server {
  stderr = '';
  /** The bytes of the messages to the server and of its answers. `pipelined` does not count them. */
  sent = 0;
  received = 0;
  #child;
  #nextId = 1;
  #waiting = new Map();
  #parts = [];
  #ended;
  /** Set while answers are only counted. */
  #count;

  /** `launch` is { command, args, cwd?, env? }. */
  constructor({ command, args, ...options }) {
    this.#child = start(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (chunk) => this.#receive(chunk));
    this.#child.stderr.on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-4000);
    });
    const gone = (why) => {
      this.#ended = new Error(`the server ended (${why}): ${this.stderr.trim().slice(-300)}`);
      for (const { reject } of this.#waiting.values()) reject(this.#ended);
      this.#waiting.clear();
    };
    this.#child.once('error', (error) => gone(error.message));
    this.#child.once('exit', (code, signal) => gone(code ?? signal));
  }

  /** `first` is sent before `initialize`, as only unusual clients do. */
  static async open(launch, { first } = {}) {
    const server = new Server(launch);
    try {
      if (first !== undefined) await server.request(first);
      await server.initialize();
    } catch (error) {
      server.stop();
      throw error;
    }
    return server;
  }

  get pid() {
    return this.#child.pid;
  }

  async initialize() {
    await this.request('initialize', HELLO);
    this.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async tools() {
    return (await this.request('tools/list')).tools;
  }

  /** The text of an answer; fails when the call failed or took too long. */
  async call(name, args) {
    const result = await this.request('tools/call', { name, arguments: args });
    const text = result.content.map((item) => item.text ?? '').join('\n');
    if (result.isError) throw new Error(`${name}: ${text.slice(0, 200)}`);
    return text;
  }

  request(method, params, timeoutMs = CALL_MS) {
    if (this.#ended) return Promise.reject(this.#ended);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const late = () => {
        this.#waiting.delete(id);
        reject(new Error(`${params?.name ?? method}: no answer in ${timeoutMs / 1000} s`));
      };
      const timer = setTimeout(late, timeoutMs);
      const settle = (then) => (value) => {
        clearTimeout(timer);
        then(value);
      };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      this.#send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    });
  }

  /**
   * Sends calls, `inFlight` of them at a time, and only counts the answers while the clock runs. Returns the
   * milliseconds and the answers. Each call is [tool, arguments].
   */
  async pipelined(calls, inFlight) {
    const lines = calls.map(([name, args]) => {
      const id = this.#nextId++;
      return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
    });
    const chunks = [];
    const begun = performance.now();
    await new Promise((resolve, reject) => {
      let sent = 0;
      let answered = 0;
      const more = () => {
        const upTo = Math.min(lines.length, answered + inFlight);
        if (upTo > sent) this.#child.stdin.write(lines.slice(sent, upTo).join(''));
        sent = Math.max(sent, upTo);
      };
      const timer = setTimeout(() => reject(new Error(`no answer in ${CALL_MS / 1000} s`)), CALL_MS);
      this.#waiting.set('pipelined', { resolve, reject });
      let head = '';
      this.#count = (chunk) => {
        chunks.push(chunk);
        let from = 0;
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
          head += chunk.latin1Slice(from, Math.min(at, from + HEAD));
          if (!NOT_AN_ANSWER.test(head)) answered++;
          head = '';
          from = at + 1;
        }
        head += chunk.latin1Slice(from, Math.min(chunk.length, from + HEAD));
        if (answered < lines.length) return more();
        clearTimeout(timer);
        resolve();
      };
      more();
    }).finally(() => {
      this.#count = undefined;
      this.#waiting.delete('pipelined');
    });
    const ms = performance.now() - begun;
    const received = Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
    const answers = received
      .filter((line) => !NOT_AN_ANSWER.test(line.slice(0, HEAD)))
      .map((line) => JSON.parse(line));
    return { ms, answers };
  }

  /** Resident memory in bytes, now and at its peak; undefined where the system does not report it. */
  memory() {
    try {
      const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
      const kilobytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]);
      return { now: kilobytes('VmRSS') * 1024, highest: kilobytes('VmHWM') * 1024 };
    } catch {
      return undefined;
    }
  }

  /** The processor time of all its threads so far, in milliseconds; undefined where the system does not report it. */
  cpuMs() {
    try {
      const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ').at(-1).split(' ');
      return (Number(fields[11]) + Number(fields[12])) * 10;
    } catch {
      return undefined;
    }
  }

  stop() {
    endGroup(this.#child);
  }

  #send(message) {
    const line = `${JSON.stringify(message)}\n`;
    this.sent += Buffer.byteLength(line);
    this.#child.stdin.write(line);
  }

  #receive(chunk) {
    if (this.#count) return this.#count(chunk);
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#parts.push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#parts).toString('utf8');
      this.#parts = [];
      from = at + 1;
      this.#answer(line);
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
  }

  #answer(line) {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return; // Some servers also log there.
    }
    if (message.method !== undefined) {
      const error = { code: -32601, message: 'not offered' };
      if (message.id !== undefined) this.#send({ jsonrpc: '2.0', id: message.id, error });
      return;
    }
    this.received += Buffer.byteLength(line) + 1;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error) waiting?.reject(new Error(message.error.message));
    else waiting?.resolve(message.result);
  }
}
