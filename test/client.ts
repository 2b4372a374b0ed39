/** Raw JSON-RPC clients over stdio: nothing between the test and the wire. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../dist/cofferdam.cjs', import.meta.url));

/** Tests of the layers below the dialects use this one, because it has a tool for everything. */
export const USUAL_DIALECT = ['--dialect', 'replay'];

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

export interface Reply {
  id: number | string | null;
  result?: { content: { type: string; text?: string }[]; isError?: boolean } & Record<string, unknown>;
  error?: { code: number; message: string; data?: unknown };
}

/** A client on a pair of streams, whatever is at the other end. */
export class WireClient {
  readonly notifications: unknown[] = [];
  stderr = '';
  readonly stdin: Writable;
  readonly stdout: Readable;
  #nextId = 1;
  #rest = '';
  #why: string | undefined;
  readonly #waiting = new Map<number | string | null, Waiting>();

  constructor(stdin: Writable, stdout: Readable) {
    this.stdin = stdin;
    this.stdout = stdout;
    stdin.on('error', () => {});
    stdout.setEncoding('utf8').on('data', (chunk: string) => this.#receive(chunk));
  }

  /** Rejects every call that still waits for an answer. */
  protected disconnected(why: string): void {
    this.#why = why;
    for (const { reject } of this.#waiting.values()) reject(this.#lost());
    this.#waiting.clear();
  }

  async initialize(): Promise<Reply> {
    const reply = await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return reply;
  }

  send(message: unknown): void {
    this.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  request(method: string, params?: unknown): Promise<Reply> {
    const id = this.#nextId++;
    const reply = this.replyTo(id);
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return reply;
  }

  replyTo(id: number | string | null): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#why === undefined) this.#waiting.set(id, { resolve, reject });
      else reject(this.#lost());
    });
  }

  #lost(): Error {
    return new Error(`${this.#why}: ${this.stderr}`);
  }

  call(tool: string, args: unknown): Promise<Reply> {
    return this.request('tools/call', { name: tool, arguments: args });
  }

  /** The text of an answer. Throws if the call failed. */
  async text(tool: string, args: unknown): Promise<string> {
    const { result, error } = await this.call(tool, args);
    if (!result) throw new Error(`${tool}: ${JSON.stringify(error)}`);
    return result.content.map((item) => item.text).join('\n');
  }

  /** Waits until the program has printed this on its standard error. */
  async says(text: string): Promise<void> {
    while (!this.stderr.includes(text)) {
      if (this.#why !== undefined) throw this.#lost();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  #receive(chunk: string): void {
    // An answer of megabytes arrives in many chunks. Search it for newlines once, when it is whole.
    if (!chunk.includes('\n')) {
      this.#rest += chunk;
      return;
    }
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) {
      const message = JSON.parse(line) as Reply & { method?: string };
      if (message.method !== undefined) {
        this.notifications.push(message);
        continue;
      }
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      waiting?.resolve(message);
    }
  }
}

/** The built program, in a process of its own. */
export class RawClient extends WireClient {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;

  /** `file` and `node`: other copies of the program and of Node. */
  constructor(
    args: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
    file: string = program,
    node: string = process.execPath,
  ) {
    const dialect = args.some((each) => each.startsWith('--dialect')) ? [] : USUAL_DIALECT;
    const child = spawn(node, [file, ...dialect, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env,
    });
    super(child.stdin, child.stdout);
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      this.stderr += chunk;
    });
    // When the process exits, some of its output may still be on the way.
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    void this.exited.then(() => this.disconnected('the server ended'));
  }

  static async start(args: readonly string[], env?: NodeJS.ProcessEnv, file?: string): Promise<RawClient> {
    const client = new RawClient(args, env, file);
    await client.initialize();
    return client;
  }

  /** Closes the input and waits until the program ends by itself. */
  async end(): Promise<{ code: number | null; signal: string | null }> {
    this.child.stdin!.end();
    return this.exited;
  }
}
