/** What insert_contents inserts, in one file or in several, and what it answers. */
import type { RewriteResults } from '../../engine/index.ts';
import type { Caught } from '../catch-failure.ts';
import type { ResultOutcome } from '../dialect.ts';
import { failedWith, messageOf } from './failures.ts';
import { changedFilesOf, oneForEach } from './one-or-many.ts';

interface Insertion {
  path: string;
  line: number;
  content: string;
}

interface InsertArguments {
  path: string | string[];
  line: number | number[];
  content: string | string[];
}

type Inserted = Caught<readonly RewriteResults['insert'][], 'line-out-of-range'>;

export function insertionsOf({ path, line, content }: InsertArguments): Insertion[] {
  const paths = changedFilesOf(path);
  const lines = oneForEach('line', line, paths.length);
  const contents = oneForEach('content', content, paths.length);
  return paths.map((each, i) => ({ path: each, line: lines[i]!, content: contents[i]! }));
}

/** `inList`: the caller sent a list of files, even if it names only one. */
export function insertionsResult(
  insertions: readonly Insertion[],
  inserted: Inserted,
  inList: boolean,
): string | ResultOutcome {
  if ('failure' in inserted) {
    const { failure } = inserted;
    const where = inList ? ` in ${failure.path}; nothing was changed` : '';
    return failedWith(failure, messageOf(failure, 'insert_contents') + where);
  }
  const messages = inserted.value.map((result, index) => messageFor(insertions[index]!, result));
  if (!inList) return messages[0]!;
  const list = messages.map((message, index) => `✅ ${insertions[index]!.path}: ${message}`);
  return `Successfully processed ${messages.length} file(s):\n\n${list.join('\n')}`;
}

function messageFor({ path, line }: Insertion, result: RewriteResults['insert']): string {
  const position = line === 0 ? 'end of file' : result.line;
  return `Successfully inserted ${result.inserted} line(s) at position ${position} in ${path}. File now has ${result.lines} lines.`;
}
