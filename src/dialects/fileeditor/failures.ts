/** The engine's facts in fileeditor's words: each becomes the text after `Error: `. */
import { truncate } from '../../display/truncate.ts';
import { type Failure, limits } from '../../engine/index.ts';
import { type ResultOutcome, type Tool, type ToolResult, text } from '../dialect.ts';
import { onOneLine } from '../results/one-line.ts';
import { whyProtected } from '../results/read-only.ts';
import { stateUnavailable } from '../results/state-unavailable.ts';
import { withheldBecause } from '../results/withheld.ts';

/** A longer path, pattern or text of the caller's is truncated. */
const MAX_SHOWN = 500;

type Facts<Kind extends Failure['kind']> = Failure & { kind: Kind };

/** Tools that expect a directory. The reference words a missing file and a missing directory differently. */
const LOOK_FOR_DIRECTORIES = new Set(['set_workspace', 'list_files']);

function errorResult(message: string): ToolResult {
  return { isError: true, content: [text(`Error: ${message}`)] };
}

/** The outcome for a failure that a tool words itself. */
export function failedWith(failure: Failure, message: string): ResultOutcome {
  return { result: errorResult(message), failure };
}

export function failureResult(facts: Failure, tool: Tool): ToolResult {
  return errorResult(messageOf(facts, tool.name));
}

export function messageOf(facts: Failure, tool: string): string {
  switch (facts.kind) {
    case 'no-workspace':
      return 'No workspace is set: call set_workspace with the directory to work in first';
    case 'outside':
      return `Access denied: ${truncate(facts.path, MAX_SHOWN)} is outside the workspace`;
    case 'bad-path':
      return badPath(facts);
    case 'not-found':
      return notFound(facts, tool);
    case 'not-a-file':
      return facts.found === 'directory'
        ? `Not a file: ${facts.path} is a directory`
        : `Not a file: ${facts.path} is a FIFO, a socket or a device, which is never opened`;
    case 'not-a-directory':
      return LOOK_FOR_DIRECTORIES.has(tool)
        ? `Not a directory: ${facts.path}`
        : `File not found: ${facts.path} (the path leads through something that is not a directory)`;
    case 'read-only':
      return `Read-only: ${facts.path} cannot be changed, ${whyProtected(facts.why) ?? `the ${facts.why} is read-only`}`;
    case 'denied':
    case 'withheld':
      return `Access denied: ${withheldBecause(facts)}`;
    case 'permission':
      return `Permission denied: cannot ${facts.action} ${facts.path}`;
    case 'unstable':
      return `${facts.path} kept changing during the call; try again`;
    case 'io':
      return `Cannot ${facts.action} ${facts.path}: ${facts.code}`;
    case 'too-large':
      return tooLarge(facts);
    case 'not-text':
      return `Not a text file: ${facts.path} is not valid UTF-8; it was left as it is`;
    case 'line-out-of-range':
      return `Line number ${facts.line} exceeds file length (${facts.lines} lines)`;
    case 'changed-meanwhile':
      return `${facts.path} was changed by another program during the call; nothing was written. Read it again`;
    case 'busy':
      return `${facts.path} is being changed by another server; try again`;
    case 'state-unavailable':
      return stateUnavailable(facts.path);
    case 'hunk-mismatch':
      return mismatch(facts);
    case 'overlap':
      return tool === 'apply_diffs'
        ? `Diffs ${facts.first} and ${facts.second} overlap: both change the same lines of ${facts.path}`
        : `path names the same file twice: items ${facts.first} and ${facts.second} are ${facts.path}; nothing was changed`;
    case 'bad-regex':
      return `Invalid regular expression: /${truncate(facts.pattern, MAX_SHOWN)}/: ${facts.reason}`;
    case 'timeout':
      return `The ${facts.what} was cut off after ${facts.ms / 1000} s: the pattern takes too long; nothing was changed. Make it simpler or more specific`;
    case 'bad-arguments':
      return `Invalid arguments: ${facts.problems.map(({ message }) => message).join('; ')}`;
    case 'answer-too-large':
      return `The answer would have ${facts.bytes} bytes, one answer may have ${facts.limit}. ${facts.instead}`;
    case 'cancelled':
      return 'The call was cancelled';
    case 'exists':
      return `Already exists: ${facts.path}; nothing was changed`;
    // No tool of this dialect deletes, moves, patches, searches several files, runs commands or writes other encodings.
    case 'not-encodable':
    case 'directory-not-empty':
    case 'is-root':
    case 'into-itself':
    case 'no-match':
    case 'not-unique':
    case 'unexpected-count':
    case 'bad-group-reference':
    case 'bad-patch':
    case 'bad-glob':
    case 'no-glob-match':
    case 'command-not-allowed':
    case 'argument-not-allowed':
    case 'command-not-installed':
    case 'no-sandbox':
      return `Unexpected failure: ${facts.kind}`;
  }
}

function badPath({ path, why }: Facts<'bad-path'>): string {
  switch (why) {
    case 'empty':
      return "The path is empty; '.' is the workspace";
    case 'nul':
      return 'The path contains a NUL character';
    case 'name-too-long':
      return `A name in the path is longer than 255 bytes: ${truncate(path, MAX_SHOWN)}`;
    case 'too-deep':
      return `Too many nested directories: ${truncate(path, MAX_SHOWN)}`;
    case 'link-loop':
      return `Too many symbolic links: ${truncate(path, MAX_SHOWN)}`;
  }
}

/** Suggestions follow the text of the reference, which stays unchanged. */
function notFound({ path, near }: Facts<'not-found'>, tool: string): string {
  const what = LOOK_FOR_DIRECTORIES.has(tool) ? 'Directory' : 'File';
  const hint = near.length === 0 ? '' : ` (did you mean ${near.map(onOneLine).join(' or ')}?)`;
  return `${what} not found: ${truncate(path, MAX_SHOWN)}${hint}`;
}

function tooLarge({ path, size, limit, action }: Facts<'too-large'>): string {
  const most =
    limit === limits.wholeFileBytes
      ? `the limit is ${limit} bytes (${limit / 1024 / 1024} MiB)`
      : `and ${limit} bytes are left of the ${limits.wholeFileBytes} for all files of a call`;
  if (action === 'write') return `Too large to write: ${path} would have ${size} bytes, ${most}`;
  const instead = action === 'read' ? '. Read a part of it with line_range' : '';
  return `Too large to ${action} whole: ${path} has ${size} bytes, ${most}${instead}`;
}

function mismatch({ path, line, expected, found, elsewhere }: Facts<'hunk-mismatch'>): string {
  const there = found.length === 0 ? '(the file ends before this line)' : numbered(found, line);
  return [
    `search_content does not match ${path} at line ${line}`,
    `Expected:\n${numbered(expected, line)}`,
    `Found:\n${there}`,
    foundAt(elsewhere),
  ].join('\n\n');
}

function foundAt(lines: readonly number[]): string {
  if (lines.length === 0) return 'search_content as a whole occurs nowhere in the file.';
  return `search_content is at line ${lines.join(', ')}.`;
}

function numbered(lines: readonly string[], first: number): string {
  return lines.map((line, index) => `${first + index} | ${line}`).join('\n');
}
