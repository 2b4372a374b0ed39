/** argv and environment → configuration → what was asked for. The only file that touches `process`. */
import { homedir } from 'node:os';
import { callOnce } from './cli/call.ts';
import { findingsAsText, findingsOf } from './cli/doctor.ts';
import { helpText } from './cli/flags.ts';
import { type Command, type Options, parseCommand, UsageError } from './cli/parse.ts';
import {
  clientConfigs,
  describeCommands,
  describeHttp,
  describeStart,
  whyNotServed,
  withoutUnsafeCommands,
} from './cli/start.ts';
import { toolsAsJson, toolsAsText } from './cli/tools.ts';
import { defaultDialect, dialects } from './dialects/index.ts';
import { Engine, EngineFailure, type RootSpec } from './engine/index.ts';
import type { App } from './server/app.ts';
import type { HttpRequest } from './server/http/start.ts';
import { serveOnStdio } from './server/stdio.ts';
import { version } from './version.ts';

const USAGE = 2;

async function main(): Promise<number> {
  const token = takeToken();
  const command = parseCommand(process.argv.slice(2), process.env);
  switch (command.do) {
    case 'help':
      return say(helpText(dialects, defaultDialect));
    case 'version':
      return say(`${version}\n`);
    case 'tools': {
      const shown = command.named ? command.options.dialects : dialects;
      return say(command.options.json ? toolsAsJson(shown) : toolsAsText(shown));
    }
    case 'doctor':
      return doctor(command);
    case 'call':
      return call(command);
    case 'serve':
      return command.http ? serveHttp(command, command.http, token) : serve(command);
  }
}

async function doctor({ roots, options }: Command & { do: 'doctor' }): Promise<number> {
  const app = openApp(roots.length > 0 ? roots : [{ path: process.cwd(), writable: true }], options);
  say(findingsAsText(await findingsOf(app.engine)));
  await app.engine.close();
  return 0;
}

async function call({ tool, json, roots, options }: Command & { do: 'call' }): Promise<number> {
  const app = openApp(roots, options);
  const aborting = new AbortController();
  process.once('SIGINT', () => aborting.abort());
  try {
    const { output, failed } = await callOnce(app, tool, json, aborting.signal, options.explain);
    await write(failed ? process.stderr : process.stdout, output);
    return failed ? 1 : 0;
  } finally {
    await app.engine.close();
  }
}

async function serve({ roots, options }: Command & { do: 'serve' }): Promise<number> {
  const required = options.commands.sandbox === 'require';
  const app = await withoutUnsafeCommands(openApp(roots, options), required);
  void describeCommands(app).then((commands) => app.log(describeStart(app, commands)));
  const serving = serveOnStdio(app, process.stdin, process.stdout);
  const stop = () => void serving.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('SIGHUP', stop);
  await serving.done;
  await app.engine.close();
  return 0;
}

async function serveHttp(
  { roots, options }: Command & { do: 'serve' },
  asked: HttpRequest,
  token: string | undefined,
): Promise<number> {
  // Loaded only when asked for: on stdio nothing of it is needed.
  const { startHttp, StartError } = await import('./server/http/start.ts');
  const required = options.commands.sandbox === 'require';
  const app = await withoutUnsafeCommands(openApp(roots, options), required);
  let readOnly: Engine | undefined;
  const readOnlyEngine = () => (readOnly ??= openEngine(roots, { ...options, readOnly: true }));
  const terminal = [process.stdout, process.stderr].find((stream) => stream.isTTY);
  try {
    const around = { token, terminal: terminal !== undefined, readOnlyEngine };
    const { serving, newToken, reload } = await startHttp(app, asked, around);
    app.log(describeStart(app, await describeCommands(app)));
    for (const line of describeHttp(app, asked, serving.url)) app.log(line);
    if (newToken !== undefined) terminal?.write(clientConfigs(serving.url, newToken));
    const stop = () => void serving.stop();
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    process.on('SIGHUP', reload ?? stop);
    await serving.done;
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error;
  } finally {
    await readOnly?.close();
    await app.engine.close();
  }
  return 0;
}

/** Taken out of the environment: no setting, no command and no child sees it. */
function takeToken(): string | undefined {
  const token = process.env.COFFERDAM_TOKEN;
  delete process.env.COFFERDAM_TOKEN;
  return token;
}

function openApp(roots: readonly RootSpec[], options: Options): App {
  for (const dialect of options.dialects) {
    const problem = dialect.checkSettings?.(process.env);
    if (problem !== undefined) throw new UsageError(problem);
  }
  return {
    version,
    engine: openEngine(roots, options),
    dialects: options.dialects,
    home: homedir(),
    settings: process.env,
    log: (line) => process.stderr.write(`cofferdam: ${line}\n`),
  };
}

function openEngine(roots: readonly RootSpec[], options: Options): Engine {
  try {
    const commands = { ...options.commands, environment: process.env };
    // Where no tool changes anything, the wall need not let anything be changed either.
    const onlyLooks = options.dialects.every(({ tools }) => tools.every(({ hints }) => hints.readOnly));
    return new Engine({ roots, readOnly: options.readOnly || onlyLooks, commands });
  } catch (error) {
    if (error instanceof EngineFailure) throw new UsageError(whyNotServed(error.facts));
    throw error;
  }
}

function say(output: string): number {
  process.stdout.write(output);
  return 0;
}

function write(stream: NodeJS.WriteStream, output: string): Promise<void> {
  return new Promise((resolve) => stream.write(output, () => resolve()));
}

// A client that closed our stderr is no reason to end.
process.stderr.on('error', () => {});

process.on('unhandledRejection', (reason) => {
  process.stderr.write(`cofferdam: unexpected ${reason instanceof Error ? reason.stack : String(reason)}\n`);
});

main().then(
  (code) => {
    process.exitCode = code;
    // What is left open (an ended pipe, a closing worker) must not keep the process.
    setTimeout(() => process.exit(code), 500).unref();
  },
  (error: unknown) => {
    const usage = error instanceof UsageError;
    process.stderr.write(`cofferdam: ${usage ? error.message : (error as Error).stack}\n`);
    process.exit(usage ? USAGE : 1);
  },
);
