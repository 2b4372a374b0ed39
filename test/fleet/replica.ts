/** A server of a fleet: the built program over HTTP, which can be killed and restarted at the same address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { program } from '../client.ts';
import { until } from '../until.ts';

export const TOKEN = 'the-token-of-all-replicas';

/** `unknown` means that the connection broke, so the call may or may not have been done. */
export type Answer = { kind: 'done' | 'refused'; text: string } | { kind: 'unreached' | 'unknown' };

export class Replica {
  readonly #start: readonly string[];
  readonly #args: readonly string[];
  readonly #address: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  port = 0;

  /** `address` is the database's; `through` is a command, with its arguments, that starts the replica. */
  constructor(address: string, args: readonly string[], through: readonly string[] = []) {
    this.#address = address;
    this.#start = [...through, process.execPath, program];
    this.#args = args;
  }

  async start(): Promise<this> {
    const [command, ...before] = this.#start;
    const child = spawn(command!, [...before, '--http', `127.0.0.1:${this.port}`, ...this.#args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, COFFERDAM_TOKEN: TOKEN, COFFERDAM_STATE: this.#address },
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once('close', resolve));
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const port = /serving http:\/\/\S+:(\d+)\/mcp/;
    await until(() => port.test(said) || child.exitCode !== null);
    const found = port.exec(said);
    if (!found) throw new Error(`the replica ended: ${said}`);
    this.port = Number(found[1]);
    return this;
  }

  /** The process id of the replica, or of the command that starts it. */
  get pid(): number {
    return this.#child!.pid!;
  }

  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#ended;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  call(name: string, args: unknown): Promise<Answer> {
    return callTool(this.port, this.#agent, name, args);
  }
}

/** Calls a tool as a client of protocol 2026-07-28 does, without a session. */
export function callTool(port: number, agent: Agent, name: string, args: unknown): Promise<Answer> {
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name, arguments: args, _meta: META },
  });
  return new Promise((resolve) => {
    const asking = request(
      {
        ...{ host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent },
        headers: { ...HEADERS, 'Mcp-Name': name, 'Content-Length': Buffer.byteLength(body) },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        // A request that arrives too slowly, for example while the server is stopped, gets an answer without a body.
        response.on('end', () => resolve(text === '' ? { kind: 'unknown' } : answerIn(text)));
        response.on('error', () => resolve({ kind: 'unknown' }));
      },
    );
    asking.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve({ kind: code === 'ECONNREFUSED' ? 'unreached' : 'unknown' }),
    );
    asking.end(body);
  });
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fleet test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

const HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  Authorization: `Bearer ${TOKEN}`,
  'Mcp-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
};

function answerIn(body: string): Answer {
  // The balancer answers with a page of its own if it reached no replica (503) or lost the one with the call.
  if (body.startsWith('<')) return { kind: /503/.test(body) ? 'unreached' : 'unknown' };
  const json = /^data: (.*)$/m.exec(body)?.[1] ?? body;
  const { result, error } = JSON.parse(json) as {
    result?: { isError?: boolean; content: { text: string }[] };
    error?: { message: string };
  };
  if (!result) return { kind: 'refused', text: error?.message ?? body };
  return { kind: result.isError ? 'refused' : 'done', text: result.content[0]?.text ?? '' };
}
