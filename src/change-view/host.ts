/** The client that shows the view: sends requests to it, and receives its messages. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type {
  McpUiHostContext,
  McpUiInitializeRequest,
  McpUiInitializeResult,
} from '@modelcontextprotocol/ext-apps';
import { version } from '../version.ts';

/** The version of the MCP Apps extension. */
const PROTOCOL_VERSION = '2026-01-26';
const METHOD_NOT_FOUND = -32601;

interface HostMessage {
  jsonrpc: '2.0';
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code?: number; message?: string };
}

export interface HostEvents {
  /** Called when the tool call has ended. */
  onResult(result: CallToolResult): void;
  onCancelled(): void;
  /** Called with changes of the context: the theme, or the space for the view. */
  onContext(context: McpUiHostContext): void;
}

export class Host {
  readonly #window: Window;
  readonly #events: HostEvents;
  readonly #waiting = new Map<
    string | number,
    { resolve(result: unknown): void; reject(error: Error): void }
  >();
  #lastId = 0;

  constructor(around: Window, events: HostEvents) {
    this.#window = around;
    this.#events = events;
    window.addEventListener('message', ({ source, data }) => {
      if (source === around) this.#receive(data as HostMessage);
    });
  }

  async connect(): Promise<void> {
    const params: McpUiInitializeRequest['params'] = {
      appInfo: { name: 'cofferdam-change', title: 'Cofferdam', version },
      appCapabilities: { availableDisplayModes: ['inline'] },
      protocolVersion: PROTOCOL_VERSION,
    };
    const { hostContext } = await this.#ask<McpUiInitializeResult>('ui/initialize', { ...params });
    this.#events.onContext(hostContext);
    this.#send({ method: 'ui/notifications/initialized', params: {} });
  }

  /** Rejects when the client, which may ask the user first, refuses. */
  callTool(name: string, args: Record<string, unknown>): Promise<CallToolResult> {
    return this.#ask('tools/call', { name, arguments: args });
  }

  /** Tells the client how much space the view needs. */
  sizeChanged(height: number): void {
    this.#send({ method: 'ui/notifications/size-changed', params: { height } });
  }

  #ask<T>(method: string, params: Record<string, unknown>): Promise<T> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (result: unknown) => void, reject });
      this.#send({ id, method, params });
    });
  }

  /** Uses '*' because a view does not know the origin of the client. */
  #send(message: Omit<HostMessage, 'jsonrpc'>): void {
    this.#window.postMessage({ jsonrpc: '2.0', ...message }, '*');
  }

  #receive(message: HostMessage | null): void {
    if (message?.jsonrpc !== '2.0') return;
    if (message.method === undefined) this.#receiveAnswer(message);
    else if (message.id === undefined) this.#receiveNotification(message.method, message.params ?? {});
    else this.#answer(message.id, message.method);
  }

  #receiveAnswer({ id, result, error }: HostMessage): void {
    const waiting = this.#waiting.get(id!);
    this.#waiting.delete(id!);
    if (error) waiting?.reject(new Error(error.message ?? 'The client refused'));
    else waiting?.resolve(result);
  }

  #receiveNotification(method: string, params: Record<string, unknown>): void {
    if (method === 'ui/notifications/tool-result') this.#events.onResult(params as unknown as CallToolResult);
    else if (method === 'ui/notifications/tool-cancelled') this.#events.onCancelled();
    else if (method === 'ui/notifications/host-context-changed') this.#events.onContext(params);
  }

  /** The client asks before it removes the view. The view has nothing to save, so it agrees. */
  #answer(id: string | number, method: string): void {
    if (method === 'ping' || method === 'ui/resource-teardown') this.#send({ id, result: {} });
    else this.#send({ id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } });
  }
}
