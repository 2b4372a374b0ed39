/** Who is connected, where the order of events is what matters: which of them come first no test over the wire decides. */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
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

it('a connection is not closed for a token that the server has had no time to read', async () => {
  const connections = new Connections(defaultLimits);
  const waiting = Array.from({ length: 100 }, (_, at) => from(41_000 + at));
  for (const socket of waiting) connections.add(socket);
  // Something holds up the event loop, and another client arrives before the server reads what the others have sent.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 5000);
  connections.add(from(42_000));
  connections.tick(Date.now());
  await new Promise((resolve) => setImmediate(resolve));
  for (const socket of waiting) expect(connections.authenticate(asking(socket))).toBe(true);
  await new Promise((resolve) => setTimeout(resolve));
  expect(waiting.filter(({ destroyed }) => destroyed)).toEqual([]);
  clock.mockRestore();
  connections.closeAll();
});
