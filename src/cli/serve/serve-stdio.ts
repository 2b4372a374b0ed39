/** `cofferdam DIR…`: serves directories on stdio, until the client ends its input or a signal ends the server. */
import type { Readable, Writable } from 'node:stream';
import { ownPackage, rememberAncestors } from '../../engine/index.ts';
import { withOfferableTools } from '../../server/mcp/tools/offerable-tools.ts';
import { serveOnStdio } from '../../server/stdio/serve.ts';
import type { CommandTo } from '../arguments/parse.ts';
import { openFleet } from '../state/fleet.ts';
import type { Surroundings } from '../surroundings.ts';
import { closeApp, type OpenApp, openApp, openClientRoots } from './open-app.ts';
import { describeCommands, describeStart } from './start-up.ts';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The client's two streams. */
interface Streams {
  stdin: Readable;
  stdout: Writable;
}

type Serving = ReturnType<typeof serveOnStdio>;

export async function serveStdio(
  { roots, options }: CommandTo<'serve'>,
  surroundings: Surroundings,
  { stdin, stdout }: Streams = process,
): Promise<number> {
  const { sandbox: mode } = options.commands;
  // If no directories are given, the client names them.
  const clientRoots = roots.length === 0 ? openClientRoots(options, surroundings) : undefined;
  // Without a fleet, the start does not load the code for one.
  const fleet = options.state.address === undefined ? undefined : await openFleet(options.state, roots);
  const opened = { ...openApp(roots, options, surroundings, fleet), ...(clientRoots && { clientRoots }) };
  const app = await withOfferableTools(opened, { mode });
  const ancestors = rememberAncestors();
  const serving = serveOnStdio(app, stdin, stdout);
  const introduced = serving.opened.then(() => introduce(app));
  const stop = () => void serving.stop();
  for (const signal of STOP_SIGNALS) process.once(signal, stop);
  stdin.once('close', () => endWithClient(app, serving, ancestors));
  await serving.done;
  await introduced;
  await clientRoots?.close();
  await closeApp(app);
  for (const signal of STOP_SIGNALS) process.removeListener(signal, stop);
  return 0;
}

/**
 * Finds programs, and reads the files of the package that are only run later. Both take longer than the first answers,
 * so they come after these. A call that needs one of them earlier does it itself.
 */
async function introduce(app: OpenApp): Promise<void> {
  ownPackage();
  app.log(describeStart(app, await describeCommands(app), app.journal));
}

/** Stops at once if the client was killed. A client that only ended its input still gets its answers. */
function endWithClient(
  app: OpenApp,
  serving: Serving,
  ancestors: ReturnType<typeof rememberAncestors>,
): void {
  const watch = ancestors.whenGone(() => {
    void app.engine.commands.kill();
    void serving.stop();
  });
  void serving.done.finally(() => watch.stop());
}
