/** Answers all requests of one client about resources. */
import type { Dialect, ToolContext, ToolOutcome } from '../../../dialects/dialect.ts';
import { fitBudget } from '../../../dialects/results/fit-budget.ts';
import {
  anonymous,
  type Caller,
  type Engine,
  EngineFailure,
  type Failure,
  sentenceWithoutContents,
} from '../../../engine/index.ts';
import type { CallTrace } from '../../../trace/recorder.ts';
import { tracedCaller } from '../../../trace/traced-caller.ts';
import { unexpected } from '../../../unexpected.ts';
import type { App } from '../app.ts';
import { type ClientRoots, tracedRoots, wholeLease } from '../client-roots.ts';
import { internalError } from '../messages/internal-error.ts';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type Params,
  RESOURCE_NOT_FOUND,
  SERVER_ERROR,
} from '../messages/json-rpc.ts';
import { completePath } from './complete-path.ts';
import { TEMPLATE } from './file-uri.ts';
import { ListChanges } from './list-changes.ts';
import { listResources } from './list-resources.ts';
import { readResource } from './read-resource.ts';
import { BadParams, pathIn, type ResourceCall } from './resource-call.ts';
import type { ResourceMethod } from './resource-methods.ts';
import { MOST_SUBSCRIPTIONS, Subscriptions } from './subscriptions.ts';

/** How a request ends. */
export type RequestOutcome = { result: object } | Extract<ToolOutcome, { error: unknown }>;

export interface ResourceSessionOptions {
  app: App;
  /** The session's id in the trace. */
  sessionId: string;
  roots: ClientRoots | undefined;
  notify(method: string, params?: Params): void;
}

export interface ResourceRequest {
  method: ResourceMethod;
  params: Params;
  signal: AbortSignal;
}

const TEMPLATES = [
  {
    uriTemplate: TEMPLATE,
    name: 'file',
    title: 'Files',
    description: 'A file of the directories that are served, or the listing of a directory',
  },
];

export class SessionResources {
  readonly #options: ResourceSessionOptions;
  readonly #dialect: Dialect;
  #subscriptions: Subscriptions | undefined;
  #listChanges: ListChanges | undefined;
  #ended = false;

  constructor(options: ResourceSessionOptions, dialect: Dialect) {
    this.#options = options;
    this.#dialect = dialect;
  }

  /** Never rejects. Records every request in the trace, like a tool call. */
  async answer({ method, params, signal }: ResourceRequest): Promise<RequestOutcome> {
    const { app, roots, sessionId: session } = this.#options;
    const { _meta: meta, ...args } = params as { _meta?: { traceparent?: unknown } };
    const origin = {
      ...{ session, dialect: this.#dialect.name, tool: method },
      ...(app.who !== undefined && { who: app.who }),
    };
    const served = roots ? await roots.take() : wholeLease(app);
    const trace = app.trace?.begin({
      ...{ ...origin, arguments: args, traceparent: meta?.traceparent },
      roots: tracedRoots(served),
    });
    const caller = trace ? tracedCaller(trace, origin) : { ...anonymous, origin };
    if (typeof served === 'string') {
      trace?.answered({
        ...{ bytesOut: Buffer.byteLength(served), text: served },
        ...{ failure: 'no-roots', reason: served },
      });
      return { error: { code: SERVER_ERROR, message: served } };
    }
    const engine = served.engine.as(caller);
    try {
      const result = await this.#run(method, { app, engine, params, signal }, served.engine);
      trace?.answered({ bytesOut: lengthOf(result) });
      return { result };
    } catch (error) {
      return this.#failed(error, { method, params, context: contextOf(app, engine, caller, signal), trace });
    } finally {
      served.release();
    }
  }

  /** Another engine now serves the client: moves the subscriptions to it, for files that it still serves. */
  rootsChanged(): void {
    const uris = this.#subscriptions?.uris ?? [];
    this.#subscriptions?.close();
    this.#subscriptions = undefined;
    void this.#subscribeAgain(uris);
    if (this.#listChanges) this.#options.notify('notifications/resources/list_changed');
  }

  end(): void {
    this.#ended = true;
    this.#subscriptions?.close();
    this.#listChanges?.close();
  }

  async #run(method: ResourceMethod, call: ResourceCall, engine: Engine): Promise<object> {
    switch (method) {
      case 'resources/list':
        this.#tellListChanges();
        return listResources(call);
      case 'resources/templates/list':
        if (call.params.cursor !== undefined) throw new BadParams('there is only one page of templates');
        return { resourceTemplates: TEMPLATES };
      case 'resources/read':
        return readResource(call);
      case 'resources/subscribe':
        await this.#subscribe(call, engine);
        return {};
      case 'resources/unsubscribe':
        if (typeof call.params.uri !== 'string') throw new BadParams('uri must be a string');
        this.#subscriptions?.remove(call.params.uri);
        return {};
      case 'completion/complete':
        return completePath(call);
    }
  }

  async #subscribe({ engine: traced, params: { uri } }: ResourceCall, engine: Engine): Promise<void> {
    if (typeof uri !== 'string') throw new BadParams('uri must be a string');
    const path = await pathIn(traced, uri);
    await traced.files.info(path);
    const subscriptions = this.#subscriptionsOn(engine);
    if (subscriptions.uris.includes(uri)) return;
    if (subscriptions.isFull)
      throw new BadParams(`a client may have at most ${MOST_SUBSCRIPTIONS} subscriptions: end one first`);
    await subscriptions.add(uri, path);
  }

  async #subscribeAgain(uris: readonly string[]): Promise<void> {
    const { app, roots } = this.#options;
    if (uris.length === 0 || this.#ended) return;
    const served = roots ? await roots.take() : wholeLease(app);
    if (typeof served === 'string') return;
    try {
      const subscriptions = this.#subscriptionsOn(served.engine);
      for (const uri of uris) {
        const path = await pathIn(served.engine, uri);
        await subscriptions.add(uri, path).catch(() => {});
      }
    } finally {
      served.release();
    }
  }

  #subscriptionsOn(engine: Engine): Subscriptions {
    const { app, notify } = this.#options;
    this.#subscriptions ??= new Subscriptions(engine, changesOf(app, engine), (uri) =>
      notify('notifications/resources/updated', { uri }),
    );
    if (this.#ended) this.#subscriptions.close();
    return this.#subscriptions;
  }

  /** Called when a client first asks for the list: only then does it have a list that could become outdated. */
  #tellListChanges(): void {
    const { app, notify } = this.#options;
    if (this.#ended) return;
    this.#listChanges ??= new ListChanges(changesOf(app, app.engine), () =>
      notify('notifications/resources/list_changed'),
    );
  }

  #failed(error: unknown, of: FailedRequest): RequestOutcome {
    const { app } = this.#options;
    const failed = this.#errorOf(error, of);
    of.trace?.answered({
      bytesOut: Buffer.byteLength(failed.message),
      text: failed.message,
      ...(error instanceof EngineFailure
        ? { failure: error.facts.kind, reason: sentenceWithoutContents(error.facts) }
        : { failure: failed.failure, reason: failed.message }),
    });
    if (failed.code === INTERNAL_ERROR) app.log(`${of.method}: ${unexpected(error)}`);
    const { code, message, data } = failed;
    return { error: { code, message, ...(data && { data }) } };
  }

  #errorOf(error: unknown, { method, params, context }: FailedRequest): ErrorFacts {
    if (error instanceof BadParams) {
      const message = `Invalid params: ${error.message}`;
      return { code: INVALID_PARAMS, message, failure: 'bad-arguments' };
    }
    if (!(error instanceof EngineFailure)) return { ...internalError(method, error), failure: 'internal' };
    const { facts } = error;
    context.engine.reportFailure(facts);
    const message = this.#words(facts, context);
    const isAbsent = facts.kind === 'not-found' || facts.kind === 'outside';
    if (!isAbsent) return { code: SERVER_ERROR, message };
    return { code: RESOURCE_NOT_FOUND, message, data: { uri: params.uri } };
  }

  /** The failure in the dialect's words, as its reading tool would report it. */
  #words(facts: Failure, context: ToolContext): string {
    const { tools } = this.#dialect;
    const reader = tools.find(({ name }) => name === 'read_text_file') ?? tools[0]!;
    const outcome = fitBudget(this.#dialect.failed(facts, reader, context), context);
    if ('error' in outcome) return outcome.error.message;
    return outcome.result.content.map((item) => (item.type === 'text' ? item.text : '')).join('\n');
  }
}

interface FailedRequest {
  method: string;
  params: Params;
  context: ToolContext;
  trace: CallTrace | undefined;
}

interface ErrorFacts {
  code: number;
  message: string;
  failure?: string;
  data?: object;
}

function contextOf(app: App, engine: Engine, caller: Caller, signal: AbortSignal): ToolContext {
  const { home, settings, maxTokens } = app;
  return { engine, caller, home, settings, maxTokens, signal, session: {}, progress: ignore, note: ignore };
}

function ignore(): void {}

/** The engine whose changes to follow: the read-only engine of a read-only token never changes anything. */
function changesOf({ changing, clientRoots }: App, engine: Engine): Engine {
  return clientRoots ? engine : (changing ?? engine);
}

function lengthOf(result: object): number {
  const { contents } = result as { contents?: readonly { text?: string; blob?: string }[] };
  if (!contents) return JSON.stringify(result).length;
  return contents.reduce((sum, { text = '', blob = '' }) => sum + text.length + blob.length, 0);
}
