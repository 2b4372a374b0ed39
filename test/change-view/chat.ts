/** A chat client in Chromium that calls the real program and shows the view of a change. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getToolUiResourceUri, RESOURCE_MIME_TYPE } from '@modelcontextprotocol/ext-apps/app-bridge';
import { build } from 'esbuild';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { built } from '../built.ts';
import { RawClient } from '../client.ts';
import { PATIENCE_MS } from '../page/browser.ts';
import { layOut, type Tree, temporaryDirectory } from '../tree.ts';

const VIEWS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } };
const STYLE = 'body { margin: 16px; font: 14px sans-serif } iframe { width: 100%; border: 1px solid #888; }';

export interface Called {
  name: string;
  arguments?: Record<string, unknown>;
}

export class Chat {
  page!: Page;
  server!: RawClient;
  /** The tool calls of the view. */
  called: Called[] = [];
  /** If set, the answer to an undo, as from a client whose user declines. */
  refusal: string | undefined;
  complaints: string[] = [];
  #directory!: ReturnType<typeof temporaryDirectory>;
  #view = '';

  async open(browser: Browser): Promise<void> {
    this.#directory = temporaryDirectory();
    layOut(this.#directory.path, { 'root/': '' });
    const state = { XDG_STATE_HOME: join(this.#directory.path, 'state') };
    this.server = new RawClient(['--dialect', 'standard', this.root], { ...process.env, ...state });
    await this.server.request('initialize', {
      ...{ protocolVersion: '2025-11-25', capabilities: VIEWS },
      clientInfo: { name: 'chat', version: '1' },
    });
    this.server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { tools } = (await this.server.request('tools/list')).result as unknown as { tools: object[] };
    const uri = tools.map((tool) => getToolUiResourceUri(tool)).find((found) => found !== undefined);
    const { result } = await this.server.request('resources/read', { uri });
    [{ text: this.#view }] = result!.contents as [{ text: string }];
    await this.#openPage(browser);
  }

  async close(): Promise<void> {
    await this.page?.close();
    this.server.child.stdin!.end();
    await this.server.exited;
    this.#directory.remove();
  }

  get root(): string {
    return join(this.#directory.path, 'root');
  }

  layOut(files: Tree): void {
    layOut(this.root, files);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  write(path: string, text: string): void {
    writeFileSync(join(this.root, path), text);
  }

  /** Calls a tool as the model would, and shows the view of its result. */
  async call(name: string, args: object, hostContext: object = { theme: 'light' }): Promise<FrameLocator> {
    const { result } = await this.server.call(name, args);
    this.called = [];
    this.complaints = [];
    await this.page.evaluate((shown) => showView(shown), { html: this.#view, hostContext });
    await this.page.evaluate((shown) => bridge.sendToolResult(shown), result as object);
    return this.page.frameLocator('iframe');
  }

  /** All tests share the page: each view gets a new frame. */
  async #openPage(browser: Browser): Promise<void> {
    this.page = await browser.newPage({ viewport: { width: 720, height: 560 } });
    this.page.setDefaultTimeout(PATIENCE_MS);
    this.page.on('pageerror', (error) => this.complaints.push(error.message));
    this.page.on('console', (said) => said.type() === 'error' && this.complaints.push(said.text()));
    await this.page.exposeFunction('callTool', (called: Called) => this.#answer(called));
    await this.page.setContent(`<!doctype html><style>${STYLE}</style>`);
    await this.page.addScriptTag({ path: await chatScript() });
  }

  async #answer(called: Called): Promise<unknown> {
    this.called.push(called);
    if (this.refusal !== undefined && called.name === 'undo') throw new Error(this.refusal);
    return (await this.server.call(called.name, called.arguments)).result;
  }
}

declare function showView(shown: { html: string; hostContext: object }): Promise<void>;
declare const bridge: { sendToolResult(result: object): Promise<void> };

function chatScript(): Promise<string> {
  return built('chat-page.js', (outfile) =>
    build({
      ...{ entryPoints: [join(import.meta.dirname, 'chat-page.mjs')], outfile },
      ...{ bundle: true, format: 'iife', target: 'chrome123', logLevel: 'warning' },
    }),
  );
}
