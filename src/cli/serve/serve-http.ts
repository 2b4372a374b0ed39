/** `cofferdam --http …` and `cofferdam start`: serves directories over HTTP, with the Tool Trace page. */
import { resolve } from 'node:path';
import { type Engine, History, ownPackage, type StateSource } from '../../engine/index.ts';
import { withOfferableTools } from '../../server/mcp/tools/offerable-tools.ts';
import type { PageSources } from '../../server/page/sources.ts';
import type { HttpEnvironment, HttpSettings, StartedHttp } from '../../server/start-http.ts';
import { openTrace } from '../../trace/open.ts';
import type { CommandTo, Options } from '../arguments/parse.ts';
import { openFleet } from '../state/fleet.ts';
import type { Surroundings } from '../surroundings.ts';
import { UsageError } from '../usage-error.ts';
import { directoryArguments, httpConfigs, pageConfigs, stdioConfigs } from './client-configs.ts';
import { closeApp, type OpenApp, openApp, openEngine } from './open-app.ts';
import { describeCommands, describeHttp, describeStart } from './start-up.ts';

/** How long a readiness request waits for the database. */
const READY_MS = 2000;

export async function serveHttp(
  { roots, options, stdio }: CommandTo<'serve'>,
  settings: HttpSettings,
  surroundings: Surroundings,
): Promise<number> {
  // Loaded only here: a server on stdio does not need it.
  const { startHttp, StartError } = await import('../../server/start-http.ts');
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
    const store = await storeOf(app, surroundings.secret);
    const page = source === undefined ? undefined : await pageOf(app, options, source, surroundings.program);
    const started = await startHttp(app, settings, {
      token: surroundings.token,
      terminal: terminal !== undefined,
      stateDirectory: typeof source === 'string' ? source : undefined,
      readOnlyEngine,
      page,
      ...store,
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

/** The sessions that all servers of a fleet share, and a check that changes can be made. Empty outside a fleet. */
async function storeOf(
  { fleet }: OpenApp,
  secret: string | undefined,
): Promise<Pick<HttpEnvironment, 'store' | 'requireChanges'>> {
  if (!fleet) return {};
  const { keysFrom, SHORTEST_SECRET } = await import('../../server/web/tokens/signed-ids.ts');
  if (secret?.split(',').some((each) => each.trim().length < SHORTEST_SECRET))
    throw new UsageError(`COFFERDAM_SECRET is too short: ${SHORTEST_SECRET} characters or more`);
  const { sessions, paths } = fleet.openState();
  const readKeys = secret === undefined ? () => sessions.keys() : keysFrom(secret);
  return {
    store: { sessions, readKeys, paths },
    requireChanges: async () => {
      await fleet.database.query('SELECT 1', [], { ms: READY_MS });
    },
  };
}

/** Undo on the page goes through this server's engine. Without a journal, the page still shows what others changed. */
async function pageOf(
  { engine, dialects, trace: recorder, log }: OpenApp,
  { deny, hide, encodings }: Options,
  source: StateSource,
  program: string,
): Promise<PageSources> {
  const { pageHistory } = await import('../../server/page/sources.ts');
  const history = engine.keepsChanges ? engine.history : new History(source, { deny, hide }, encodings);
  // Without the other options, since the address of a database holds a password.
  const args = [
    ...[resolve(program), '--dialect', dialects.map(({ name }) => name).join()],
    ...directoryArguments(engine.roots),
  ];
  return {
    events: openTrace(source, log),
    history: pageHistory(history, recorder),
    clients: pageConfigs({ command: process.execPath, args }),
  };
}

/** Configurations with absolute paths: a client that is started from a desktop may have another PATH. */
function ownServerConfigs({ engine: { roots } }: OpenApp, options: string[], program: string): string {
  const args = [resolve(program), ...options, ...directoryArguments(roots)];
  return stdioConfigs(roots, { command: process.execPath, args });
}

/** Call this before the first line of output: a program that reads the line may send a signal at once. */
function obeySignals({ server, reload }: StartedHttp): void {
  const stop = () => void server.stop();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.on('SIGHUP', reload ?? stop);
}
