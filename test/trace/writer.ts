/** A process that appends events. Its arguments: the state directory, a server's id, a count, the log's settings. */

import { openDirectoryState } from '../../src/state/directory/open.ts';
import { TraceLog } from '../../src/trace/log.ts';

const [state, server, count, settings] = process.argv.slice(2) as [string, string, string, string];
const log = new TraceLog(openDirectoryState(state), {
  ...JSON.parse(settings),
  onProblem: (problem: string) => console.log(problem),
});
for (let number = 1; number <= Number(count); number++) {
  log.append({
    id: `${server}-${number}`,
    at: Date.now(),
    server,
    roots: ['/home/anna/app'],
    dialect: 'replay',
    tool: 'write_file',
    paths: [{ path: `/home/anna/app/${server}/${'x'.repeat(number % 500)}`, how: 'changed' }],
    outcome: 'ok',
    ms: 0,
    bytesIn: 1,
    bytesOut: 1,
    tokensOut: 1,
  });
}
console.log('done');
