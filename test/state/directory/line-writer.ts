/** A process that appends lines to a log: argv is the log's directory, a name, and how many. */
import { LineLog } from '../../../src/state/directory/line-log.ts';

const [directory, writer, count] = process.argv.slice(2) as [string, string, string];
const log = new LineLog(directory);
for (let n = 0; n < Number(count); n++) log.append({ writer, n, text: 'x'.repeat(n % 9000) });
await log.flush();
log.close();
