/** Sends the progress of a call to the client, if the client has asked for it. */
import type { ToolContext } from '../../../dialects/dialect.ts';
import type { Id, Params } from './json-rpc.ts';

interface ProgressNotification {
  method: 'notifications/progress';
  params: { progressToken: Id; progress: number; message: string };
}

/** Undefined if the `_meta` of the call has no token for progress. */
export function progressSender(
  meta: Params | undefined,
  send: (notification: ProgressNotification) => void,
): ToolContext['progress'] | undefined {
  const progressToken = meta?.progressToken as Id | undefined;
  if (progressToken === undefined) return undefined;
  return (progress, message) =>
    send({ method: 'notifications/progress', params: { progressToken, progress, message } });
}
