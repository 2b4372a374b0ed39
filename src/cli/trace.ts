/** `cofferdam trace`: shows every call, in the terminal or on the Tool Trace page. */
import { resolve } from 'node:path';
import { asStateProblem, History, openState, type StateSource } from '../engine/index.ts';
import { TraceLog } from '../trace/log.ts';
import { openRecorder, openTrace } from '../trace/open.ts';
import { showTrace } from '../trace/show.ts';
import type { TraceRequest } from './arguments/history-commands.ts';
import type { CommandTo } from './arguments/parse.ts';
import { print } from './output.ts';
import { directoryArguments, pageConfigs } from './serve/client-configs.ts';
import { withState } from './state/fleet.ts';
import type { Surroundings } from './surroundings.ts';

export function trace({ asked, state }: CommandTo<'trace'>, surroundings: Surroundings): Promise<number> {
  return withState(state, (source) => traceOf(source, asked, surroundings));
}

async function traceOf(
  source: StateSource,
  asked: TraceRequest,
  surroundings: Surroundings,
): Promise<number> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
  const { webPort, follow, json, limit, ...filter } = asked;
  if (webPort !== undefined) return tracePage(source, webPort, ending.signal, surroundings);
  const log = new TraceLog(openState(source), { onProblem: surroundings.log });
  try {
    await showTrace({ log, filter, follow, json, limit, out: process.stdout, signal: ending.signal });
  } catch (error) {
    throw typeof source === 'string' ? asStateProblem(error, source) : error;
  } finally {
    log.close();
  }
  return 0;
}

/** Serves only the page, for the calls of other servers on this machine. */
async function tracePage(
  source: StateSource,
  port: number,
  signal: AbortSignal,
  surroundings: Surroundings,
): Promise<number> {
  const { openPageServer } = await import('../server/page-server.ts');
  const { pageHistory } = await import('../server/page/sources.ts');
  const { version, log, program } = surroundings;
  const recorder = openRecorder({ source, roots: [], contents: false, ...surroundings });
  // As in `init`, the configurations serve the current directory.
  const here = directoryArguments([{ path: process.cwd(), writable: true }]);
  const sources = {
    events: openTrace(source, log),
    history: pageHistory(new History(source), recorder),
    clients: pageConfigs({ command: process.execPath, args: [resolve(program), ...here] }),
  };
  const server = await openPageServer({ sources, version, port, log });
  print(`${server.url}\n`);
  signal.addEventListener('abort', () => void server.stop());
  await server.done;
  await recorder.close();
  return 0;
}
