/** Connections, where the order of events matters: a test over the wire could not control that order. */
import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it, vi } from 'vitest';
import { Connections } from '../../src/server/web/connections.ts';
import { defaultLimits } from '../../src/server/web/limits.ts';
import type { Reply } from '../../src/server/web/reply.ts';

const from = (remotePort: number) =>
  Object.assign(new PassThrough(), { remoteAddress: '127.0.0.1', remotePort }) as unknown as Socket;
const asking = (socket: Socket) => ({ request: { socket }, whenOver: () => {} }) as unknown as Reply;

it('treats a connection from the port of one that has just closed as a new connection', () => {
  const connections = new Connections(defaultLimits);
  const [gone, next] = [from(40_000), from(40_000)];
  connections.add(gone);
  expect(connections.authenticate(asking(gone))).toBe(true);
  connections.add(next);
  connections.track(asking(next));
  expect(connections.authenticate(asking(next))).toBe(true);
  gone.emit('close');
  // Its call takes longer than a connection without a token may stay.
  connections.tick(Date.now() + defaultLimits.requestMs);
  expect(next.destroyed).toBe(false);
  connections.closeAll();
  expect(next.destroyed).toBe(true);
});

it('does not close a connection whose token the server has had no time to read', async () => {
  const connections = new Connections(defaultLimits);
  const waiting = Array.from({ length: 100 }, (_, at) => from(41_000 + at));
  for (const socket of waiting) connections.add(socket);
  // The event loop is blocked, and another client arrives before the server reads what the others have sent.
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

it('gives a connection more time to show its token if its address has shown one before', async () => {
  const connections = new Connections(defaultLimits);
  const known = from(43_000);
  connections.add(known);
  expect(connections.authenticate(asking(known))).toBe(true);
  const waiting = Array.from({ length: 100 }, (_, at) => from(44_000 + at));
  for (const socket of waiting) connections.add(socket);
  const started = Date.now();
  const closedAfter = async (ms: number) => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(started + ms);
    connections.tick(Date.now());
    // Two turns, in which the server reads what has arrived.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    clock.mockRestore();
    return waiting.filter(({ destroyed }) => destroyed).length;
  };
  expect(await closedAfter(2500)).toBe(0);
  known.emit('close');
  expect(await closedAfter(2500)).toBe(100 - defaultLimits.unauthenticatedPerAddress);
  connections.closeAll();
});
