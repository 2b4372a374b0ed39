/** argv and environment → configuration → what was asked for. The only file that touches `process`. */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { commandHelp, helpText } from './cli/arguments/help.ts';
import { type Command, type Options, parseCommand, UsageError } from './cli/arguments/parse.ts';
import { callOnce } from './cli/call.ts';
import { directoryArguments, httpConfigs, stdioConfigs } from './cli/client-configs.ts';
import { findingsAsText, findingsOf } from './cli/doctor.ts';
import { forget } from './cli/forget.ts';
import { type Outcome, redo, showDiff, showHistory, undo } from './cli/history.ts';
import { closeApp, openApp, openEngine, type Surroundings } from './cli/open-app.ts';
import {
  areCommandsConfined,
  describeCommands,
  describeHttp,
  describeStart,
  offerable,
} from './cli/start-up.ts';
import { toolsAsJson, toolsAsText } from './cli/tools.ts';
import { openRecorder, pageSources, TracedHistory } from './cli/tracing.ts';
import { defaultDialect, dialects } from './dialects/index.ts';
import {
  asStateProblem,
  type Engine,
  History,
  noteAncestors,
  ownPackage,
  StateProblem,
} from './engine/index.ts';
import type { Abilities } from './server/mcp/offered-tools.ts';
import type { HttpSettings } from './server/start-http.ts';
import { serveOnStdio } from './server/stdio/serve.ts';
import { openDirectoryState } from './state/directory/open.ts';
import { TraceLog } from './trace/log.ts';
import type { Recorder } from './trace/recorder.ts';
import { showTrace } from './trace/show.ts';
import { version } from './version.ts';

const USAGE = 2;

async function main(): Promise<number> {
  const token = takeToken();
  const command = parseCommand(process.argv.slice(2), process.env, homedir());
  switch (command.do) {
    case 'help':
      if (command.about) return say(commandHelp(command.about, dialects, defaultDialect));
      return say(helpText(dialects, defaultDialect));
    case 'version':
      return say(`${version}\n`);
    case 'tools':
      return tools(command);
    case 'doctor':
      return doctor(command);
    case 'call':
      return call(command);
    case 'history':
      return tell(await showHistory(new History(command.state.directory), command));
    case 'diff':
      return tell(await showDiff(new History(command.state.directory), command.entry));
    case 'undo':
      return goBack(command.state.directory, (history) => undo(history, command));
    case 'redo':
      return goBack(command.state.directory, (history) => redo(history, command.what, command.force));
    case 'forget':
      return tell(await forget(new History(command.state.directory), command.state.directory, command));
    case 'trace':
      return trace(command);
    case 'serve':
      return command.http ? serveHttp(command, command.http, token) : serve(command);
  }
}

async function tools({ options, named }: Command & { do: 'tools' }): Promise<number> {
  const shown = named ? options.dialects : dialects;
  const asked = { dialects: shown, together: named, canChange: !options.readOnly };
  const all = { ...asked, ...(await commandsHere(options)) };
  return say(options.json ? toolsAsJson(all) : toolsAsText(all));
}

/** What confines commands, as a server on this directory would find it. */
async function commandsHere(options: Options): Promise<Omit<Abilities, 'canChange'>> {
  const engine = openEngine([{ path: process.cwd(), writable: false }], options, process.env);
  try {
    const whyUnconfined = engine.commands.whyUnconfined();
    return options.readOnly
      ? { whyUnconfined, commandsConfined: await areCommandsConfined(engine) }
      : { whyUnconfined };
  } finally {
    await engine.close();
  }
}

async function doctor({ roots, options }: Command & { do: 'doctor' }): Promise<number> {
  const app = openApp(
    roots.length > 0 ? roots : [{ path: process.cwd(), writable: true }],
    options,
    around(),
  );
  const kept = { what: 'journal and trace', active: !app.journal.startsWith('OFF'), says: app.journal };
  say(findingsAsText([...(await findingsOf(app.engine, app.skipped)), kept]));
  await closeApp(app);
  return 0;
}

async function call({ tool, json, roots, options }: Command & { do: 'call' }): Promise<number> {
  const app = openApp(roots, options, around());
  const aborting = new AbortController();
  process.once('SIGINT', () => aborting.abort());
  try {
    const { output, failed } = await callOnce(app, tool, json, aborting.signal, options.explain);
    return await tell({ output, failed });
  } finally {
    await closeApp(app);
  }
}

async function trace({ asked, state }: Command & { do: 'trace' }): Promise<number> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
  if (asked.webPort !== undefined) return traceOnPage(state.directory, asked.webPort, ending.signal);
  const log = new TraceLog(openDirectoryState(state.directory), { onProblem: complain });
  const { follow, json, limit, ...filter } = asked;
  try {
    await showTrace({ log, filter, follow, json, limit, out: process.stdout, signal: ending.signal });
  } catch (error) {
    throw asStateProblem(error, state.directory);
  } finally {
    log.close();
  }
  return 0;
}

/** The page alone, for servers that run elsewhere on this machine. */
async function traceOnPage(directory: string, port: number, signal: AbortSignal): Promise<number> {
  const { servePage } = await import('./server/serve-page.ts');
  const recorder = recorderIn(directory);
  const server = await servePage({
    sources: pageSources(directory, recorder, complain),
    version,
    port,
    log: complain,
  });
  say(`${server.url}\n`);
  signal.addEventListener('abort', () => void server.stop());
  await server.done;
  await recorder.close();
  return 0;
}

async function serve({ roots, options }: Command & { do: 'serve' }): Promise<number> {
  const required = options.commands.sandbox === 'require';
  const app = await offerable(openApp(roots, options, around()), required);
  const ancestors = noteAncestors();
  const serving = serveOnStdio(app, process.stdin, process.stdout);
  // To look for programs takes longer than the first answers, so it comes after them. So does reading what runs
  // late; a call that needs it earlier reads it first.
  const introduced = serving.opened.then(async () => {
    ownPackage();
    app.log(describeStart(app, await describeCommands(app), app.journal));
  });
  const stop = () => void serving.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.once('SIGHUP', stop);
  // A client that only ended its input still gets its answers; one that was killed waits for none.
  process.stdin.once('close', () => {
    const watch = ancestors.whenGone(() => {
      void app.engine.commands.kill();
      stop();
    });
    void serving.done.finally(() => watch.stop());
  });
  await serving.done;
  await introduced;
  await closeApp(app);
  return 0;
}

async function serveHttp(
  { roots, options, stdio }: Command & { do: 'serve' },
  asked: HttpSettings,
  token: string | undefined,
): Promise<number> {
  // Loaded only when asked for: on stdio nothing of it is needed.
  const { startHttp, StartError } = await import('./server/start-http.ts');
  const required = options.commands.sandbox === 'require';
  // Among the tokens may be one that only reads, so it has to be known for HTTP in any case.
  const app = await offerable(openApp(roots, options, around()), required, true);
  ownPackage();
  let readOnly: Engine | undefined;
  const readOnlyEngine = () =>
    (readOnly ??= openEngine(app.roots, { ...options, readOnly: true }, process.env));
  const terminal = [process.stdout, process.stderr].find((stream) => stream.isTTY);
  try {
    const { stateDirectory } = app;
    const page = stateDirectory === undefined ? undefined : pageSources(stateDirectory, app.trace, app.log);
    const surroundings = { token, terminal: terminal !== undefined, readOnlyEngine, page, stateDirectory };
    const { server, token: stored, reload } = await startHttp(app, asked, surroundings);
    app.log(describeStart(app, await describeCommands(app), app.journal));
    for (const line of describeHttp(app, asked, server.url)) app.log(line);
    if (stored || asked.newToken || asked.printed) {
      const own = stdio
        ? stdioConfigs(app.engine.roots, thisProgram([...stdio, ...directoryArguments(app.engine.roots)]))
        : '';
      (terminal ?? process.stdout).write(`${own}${httpConfigs(server.url, stored, page !== undefined)}`);
    }
    const stop = () => void server.stop();
    process.once('SIGTERM', stop);
    process.once('SIGINT', stop);
    process.on('SIGHUP', reload ?? stop);
    await server.done;
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error;
  } finally {
    await readOnly?.close();
    await closeApp(app);
  }
  return 0;
}

/** By absolute paths: a client that is started from a desktop may know another PATH. */
function thisProgram(args: string[]) {
  return { command: process.execPath, args: [resolve(process.argv[1]!), ...args] };
}

/** Taken out of the environment: no setting, no command and no child sees it. */
function takeToken(): string | undefined {
  const token = process.env.COFFERDAM_TOKEN;
  delete process.env.COFFERDAM_TOKEN;
  return token;
}

function complain(line: string): void {
  process.stderr.write(`cofferdam: ${line}\n`);
}

function recorderIn(directory: string): Recorder {
  const around = { version, environment: process.env, log: complain };
  return openRecorder({ directory, roots: [], contents: false, ...around });
}

/** What every app gets to know of this process. */
function around(): Surroundings {
  return { version, home: homedir(), environment: process.env, log: complain };
}

/** Undoes or redoes; who does so is in the trace. */
async function goBack(
  directory: string,
  undoing: (history: TracedHistory) => Promise<Outcome>,
): Promise<number> {
  const recorder = recorderIn(directory);
  try {
    return await tell(await undoing(new TracedHistory(directory, recorder)));
  } finally {
    await recorder.close();
  }
}

function say(output: string): number {
  process.stdout.write(output);
  return 0;
}

async function tell({ output, failed, problem }: Outcome): Promise<number> {
  const done = !failed || problem !== undefined;
  await write(done ? process.stdout : process.stderr, output);
  if (problem !== undefined) await write(process.stderr, problem);
  return failed ? 1 : 0;
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
    const usage = error instanceof UsageError || error instanceof StateProblem;
    process.stderr.write(`cofferdam: ${usage ? error.message : (error as Error).stack}\n`);
    process.exit(usage ? USAGE : 1);
  },
);
