/** `cofferdam --http …` and `cofferdam start`: serves directories over HTTP, with the Tool Trace page. */
import { resolve } from 'node:path';
import { type Engine, History, ownPackage, type StateSource } from '../engine/index.ts';
import type { PageSources } from '../server/page/sources.ts';
import type { HttpSettings, StartedHttp } from '../server/start-http.ts';
import type { CommandTo, Options } from './arguments/parse.ts';
import { directoryArguments, httpConfigs, stdioConfigs } from './client-configs.ts';
import { openFleet } from './fleet.ts';
import { withOfferableTools } from './offerable-tools.ts';
import { closeApp, type OpenApp, openApp, openEngine } from './open-app.ts';
import { describeCommands, describeHttp, describeStart } from './start-up.ts';
import type { Surroundings } from './surroundings.ts';
import { openTrace } from './tracing.ts';
import { UsageError } from './usage-error.ts';

export async function serveHttp(
  { roots, options, stdio }: CommandTo<'serve'>,
  settings: HttpSettings,
  surroundings: Surroundings,
): Promise<number> {
  // Loaded only now: a server on stdio needs nothing of it.
  const { startHttp, StartError } = await import('../server/start-http.ts');
  const { sandbox: mode } = options.commands;
  // A token may be read-only, and then the server must know whether commands are confined.
  const app = await withOfferableTools(
    openApp(roots, options, surroundings, await openFleet(options.state, roots)),
    { mode, probe: true },
  );
  ownPackage();
  let readOnly: Engine | undefined;
  const readOnlyEngine = () =>
    (readOnly ??= openEngine(app.roots, { ...options, readOnly: true }, surroundings.environment));
  const terminal = [process.stdout, process.stderr].find((stream) => stream.isTTY);
  try {
    const { source } = app;
    const page = source === undefined ? undefined : await pageOf(app, options, source);
    const started = await startHttp(app, settings, {
      token: surroundings.token,
      terminal: terminal !== undefined,
      stateDirectory: typeof source === 'string' ? source : undefined,
      readOnlyEngine,
      page,
    });
    obeySignals(started);
    app.log(describeStart(app, await describeCommands(app), app.journal));
    for (const line of describeHttp(app, settings, started.server.url)) app.log(line);
    if (started.token || settings.newToken || settings.printed) {
      const own = stdio ? ownServerConfigs(app, stdio, surroundings.program) : '';
      const { url } = started.server;
      (terminal ?? process.stdout).write(`${own}${httpConfigs(url, started.token, page !== undefined)}`);
    }
    await started.server.done;
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error;
  } finally {
    await readOnly?.close();
    await closeApp(app);
  }
  return 0;
}

/** Undo on the page goes through this server's engine; one without a journal still shows what others changed. */
async function pageOf(
  { engine, trace: recorder, log }: OpenApp,
  { deny, hide, encodings }: Options,
  source: StateSource,
): Promise<PageSources> {
  const { pageHistory } = await import('../server/page/sources.ts');
  const history = engine.keepsChanges ? engine.history : new History(source, { deny, hide }, encodings);
  return { events: openTrace(source, log), history: pageHistory(history, recorder) };
}

/** Names programs by absolute paths: a client that is started from a desktop may have another PATH. */
function ownServerConfigs({ engine: { roots } }: OpenApp, options: string[], program: string): string {
  const args = [resolve(program), ...options, ...directoryArguments(roots)];
  return stdioConfigs(roots, { command: process.execPath, args });
}

/** Comes before the first line of output: a program that reads that line may send a signal at once. */
function obeySignals({ server, reload }: StartedHttp): void {
  const stop = () => void server.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.on('SIGHUP', reload ?? stop);
}
