/** Who is connected, where the order of events is what matters: which of them come first no test over the wire decides. */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Connections } from '../../src/server/web/connections.ts';
import { defaultLimits } from '../../src/server/web/limits.ts';
import type { Reply } from '../../src/server/web/reply.ts';

const from = (remotePort: number) =>
  Object.assign(new PassThrough(), { remoteAddress: '127.0.0.1', remotePort }) as unknown as Socket;
const asking = (socket: Socket) => ({ request: { socket }, whenOver: () => {} }) as unknown as Reply;

it('a connection from the port of one that has just gone is a connection of its own', () => {
  const connections = new Connections(defaultLimits);
  const [gone, next] = [from(40_000), from(40_000)];
  connections.add(gone);
  expect(connections.authenticate(asking(gone))).toBe(true);
  connections.add(next);
  connections.track(asking(next));
  expect(connections.authenticate(asking(next))).toBe(true);
  gone.emit('close');
  // Its call takes longer than a stranger may stay.
  connections.tick(Date.now() + defaultLimits.requestMs);
  expect(next.destroyed).toBe(false);
  connections.closeAll();
  expect(next.destroyed).toBe(true);
});
