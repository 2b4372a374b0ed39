/** `cofferdam trace`: every call, in the terminal or on the Tool Trace page. */
import { asStateProblem, History } from '../engine/index.ts';
import { openDirectoryState } from '../state/directory/open.ts';
import { TraceLog } from '../trace/log.ts';
import { showTrace } from '../trace/show.ts';
import type { CommandTo } from './arguments/parse.ts';
import { print } from './output.ts';
import type { Surroundings } from './surroundings.ts';
import { openRecorder, openTrace } from './tracing.ts';

export async function trace(
  { asked, state: { directory } }: CommandTo<'trace'>,
  surroundings: Surroundings,
): Promise<number> {
  const ending = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());
  const { webPort, follow, json, limit, ...filter } = asked;
  if (webPort !== undefined) return tracePage(directory, webPort, ending.signal, surroundings);
  const log = new TraceLog(openDirectoryState(directory), { onProblem: surroundings.log });
  try {
    await showTrace({ log, filter, follow, json, limit, out: process.stdout, signal: ending.signal });
  } catch (error) {
    throw asStateProblem(error, directory);
  } finally {
    log.close();
  }
  return 0;
}

/** Serves the page alone, for servers that run elsewhere on this machine. */
async function tracePage(
  directory: string,
  port: number,
  signal: AbortSignal,
  surroundings: Surroundings,
): Promise<number> {
  const { servePage } = await import('../server/serve-page.ts');
  const { pageHistory } = await import('../server/page/sources.ts');
  const { version, log } = surroundings;
  const recorder = openRecorder({ directory, roots: [], contents: false, ...surroundings });
  const sources = {
    events: openTrace(directory, log),
    history: pageHistory(new History(directory), recorder),
  };
  const server = await servePage({ sources, version, port, log });
  print(`${server.url}\n`);
  signal.addEventListener('abort', () => void server.stop());
  await server.done;
  await recorder.close();
  return 0;
}
