/** Events for tests of the page's parts. */
import type { PageEvent } from '../../src/page/wire.ts';

let next = 1;

export function event(more: Partial<PageEvent> = {}): PageEvent {
  return {
    id: `s-${next++}`,
    at: 1_700_000_000_000,
    server: 's',
    roots: ['/srv/app'],
    session: 'one',
    dialect: 'replay',
    tool: 'read_file',
    paths: [{ path: '/srv/app/src/a.ts', how: 'read' }],
    outcome: 'ok',
    ms: 5,
    bytesIn: 10,
    bytesOut: 20,
    tokensOut: 5,
    ...more,
  };
}
