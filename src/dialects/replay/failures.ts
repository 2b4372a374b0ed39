/** The engine's facts in replay's words and codes. */
import { truncate } from '../../display/truncate.ts';
import type { Failure } from '../../engine/index.ts';
import { whyProtected } from '../results/read-only.ts';
import { didYouMean } from '../results/similar-names.ts';
import { stateUnavailable } from '../results/state-unavailable.ts';
import { withheldBecause } from '../results/withheld.ts';

/** A longer path, pattern or text of the caller's is truncated. */
const MAX_SHOWN = 200;
/** A path that is too long is itself the problem: its beginning is enough to recognise it. */
const MAX_SHOWN_LONG_PATH = 80;

export interface ReplayError {
  code: number;
  message: string;
}

const NOT_ALLOWED = -32001;
const NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

export const PART_OF_A_FILE =
  "Take a part of it instead: grep_files gives matching lines with context, execute_command runs head, tail or sed -n '100,200p'";

export const PART_OF_A_BINARY_FILE = 'Take a part of it instead: execute_command runs head -c, tail -c or od';

export function replayError(facts: Failure): ReplayError {
  return { code: codeOf(facts), message: messageOf(facts) };
}

function codeOf(facts: Failure): number {
  switch (facts.kind) {
    case 'outside':
    case 'read-only':
    case 'denied':
    case 'withheld':
      return NOT_ALLOWED;
    case 'not-found':
    case 'no-glob-match':
      return NOT_FOUND;
    case 'bad-arguments':
    case 'bad-glob':
      return INVALID_PARAMS;
    case 'bad-path':
      return facts.why === 'nul' || facts.why === 'empty' ? INVALID_PARAMS : INTERNAL;
    default:
      return INTERNAL;
  }
}

function messageOf(facts: Failure): string {
  switch (facts.kind) {
    case 'outside':
      return `Path not allowed: ${facts.path} is outside the allowed directories (list_allowed_directories names them)`;
    case 'read-only':
      return readOnly(facts);
    case 'denied':
    case 'withheld':
      return `Path not allowed: ${withheldBecause(facts)}`;
    case 'bad-path':
      return badPath(facts);
    case 'not-found':
      return `Not found: ${facts.path}${didYouMean(facts.near)}`;
    case 'not-a-file':
      return facts.found === 'directory'
        ? `Not a file: ${facts.path} is a directory`
        : `Not a file: ${facts.path} is a FIFO, socket or device, which is never opened`;
    case 'not-a-directory':
      return `Not a directory: ${facts.path}`;
    case 'exists':
      return `Already exists: ${facts.path}; nothing was changed`;
    case 'directory-not-empty':
      return `Directory not empty: ${facts.path}`;
    case 'is-root':
      return `${facts.path} is, or contains, a directory that was given to the server: it cannot be ${pastOf(facts.action)}`;
    case 'into-itself':
      return `Cannot move ${facts.path} into itself (${facts.destination})`;
    case 'permission':
      return `Permission denied: cannot ${facts.action} ${facts.path}`;
    case 'unstable':
      return `${facts.path} kept changing during the call; try again`;
    case 'io':
      return facts.code === 'EXDEV'
        ? `Cannot ${facts.action} to ${facts.path}: it is on another file system, where only files can be moved to`
        : `Cannot ${facts.action} ${facts.path}: ${facts.code}`;
    case 'too-large':
      return tooLarge(facts);
    case 'not-text':
      return `${facts.path} is not valid UTF-8 text; it was left untouched`;
    case 'not-encodable':
      return `${facts.path} is in ${facts.charset}, which has no ${JSON.stringify(facts.character)}; it was left untouched`;
    case 'line-out-of-range':
      return `Line ${facts.line} is out of range: ${facts.path} has ${facts.lines} lines`;
    case 'changed-meanwhile':
      return `${facts.path} was changed by another program during the edit; nothing was written. Read it again and repeat the edit`;
    case 'busy':
      return `${facts.path} is being changed by another server; try again`;
    case 'state-unavailable':
      return stateUnavailable(facts.path);
    case 'no-match':
      return noMatch(facts);
    case 'not-unique':
      return notUnique(facts);
    case 'unexpected-count':
      return `Expected ${facts.expected} occurrences in ${facts.path}, found ${facts.count}`;
    case 'bad-group-reference':
      return `Edit ${facts.edit}: newText refers to group ${facts.reference}, but the pattern has ${facts.groups} capture group${facts.groups === 1 ? '' : 's'}; the file was left unchanged`;
    case 'bad-patch':
      return `Malformed patch at line ${facts.line}: ${facts.reason}`;
    case 'hunk-mismatch':
      return `Hunk ${facts.hunk} does not match ${facts.path} at line ${facts.line}`;
    case 'overlap':
      return `Changes ${facts.first} and ${facts.second} overlap in ${facts.path}`;
    case 'bad-regex':
      return `Invalid regex ${excerpt(facts.pattern)}: ${facts.reason}`;
    case 'bad-glob':
      return `Invalid glob ${truncate(facts.pattern, MAX_SHOWN)}: ${facts.reason}`;
    case 'timeout':
      return `The ${facts.what} was cut off after ${facts.ms / 1000} s: the pattern takes too long. Make it simpler or more specific`;
    case 'no-glob-match':
      return `No files match: ${truncate(facts.pattern, MAX_SHOWN)}`;
    case 'command-not-allowed':
      return `Command not allowed: ${facts.command}`;
    case 'argument-not-allowed':
      return `${facts.command}: ${facts.argument}: ${facts.reason}${facts.instead ? ` (use ${facts.instead})` : ''}`;
    case 'command-not-installed':
      return `Command not installed: ${facts.command}`;
    case 'no-sandbox':
      return `Commands need the sandbox, which is not available: ${facts.reason}`;
    case 'bad-arguments':
      return `Invalid params: ${facts.problems.map((problem) => problem.message).join('; ')}`;
    case 'answer-too-large':
      return answerTooLarge(facts);
    case 'no-workspace':
      return 'No workspace is set';
    case 'cancelled':
      return 'The call was cancelled';
  }
}

function badPath(facts: Failure & { kind: 'bad-path' }): string {
  switch (facts.why) {
    case 'empty':
      return 'Invalid params: the path is empty';
    case 'nul':
      return 'Invalid params: the path contains a NUL character';
    case 'name-too-long':
      return `A name in the path is longer than 255 bytes: ${truncate(facts.path, MAX_SHOWN_LONG_PATH)}`;
    case 'too-deep':
      return `Too many nested directories: ${truncate(facts.path, MAX_SHOWN_LONG_PATH)}`;
    case 'link-loop':
      return `Too many symbolic links: ${facts.path}`;
  }
}

function tooLarge(facts: Failure & { kind: 'too-large' }): string {
  const limit = `the limit is ${facts.limit} bytes (${Math.round(facts.limit / 1024 / 1024)} MiB)`;
  if (facts.action === 'write')
    return `Too large to write: ${facts.path} would have ${facts.size} bytes, ${limit}`;
  return `Too large to ${facts.action} whole: ${facts.path} has ${facts.size} bytes, ${limit}. ${PART_OF_A_FILE}`;
}

function answerTooLarge({ path, bytes, limit, instead }: Failure & { kind: 'answer-too-large' }): string {
  const what = path === undefined ? 'The answer' : `The answer for ${path}`;
  return `${what} would have ${bytes} bytes, one answer may have ${limit} (${limit / 1024 / 1024} MiB). ${instead}`;
}

function noMatch(facts: Failure & { kind: 'no-match' }): string {
  const what = facts.mode === 'regex' ? 'pattern not found' : 'oldText not found';
  const near = facts.near.map(({ line, text }) => `  ${line}: ${text}`);
  const hint = near.length > 0 ? `. Similar lines:\n${near.join('\n')}` : '';
  return `Edit ${facts.edit}: ${what} in ${facts.path}: ${excerpt(facts.needle)}${hint}`;
}

function notUnique(facts: Failure & { kind: 'not-unique' }): string {
  const what = facts.mode === 'indent' ? 'whitespace-normalized matches' : 'occurrences';
  const named = [...new Set(facts.lines)];
  const more = facts.lines.length < facts.count ? ' …' : '';
  const lines = `on line${named.length === 1 && more === '' ? '' : 's'} ${named.join(', ')}${more}`;
  return `Edit ${facts.edit}: oldText is not unique: found ${facts.count} ${what} in ${facts.path} (${lines}). Add surrounding context so that it matches one place, or set limit: 0 (all) or limit: N; nothing was written`;
}

function pastOf(action: 'delete' | 'move' | 'replace'): string {
  return action === 'delete' ? 'deleted' : `${action}d`;
}

function excerpt(text: string): string {
  return JSON.stringify(truncate(text, MAX_SHOWN));
}

function readOnly({ path, why }: Failure & { kind: 'read-only' }): string {
  if (why === 'server') return `Path not allowed: the server is read-only, ${path} cannot be changed`;
  const reason = whyProtected(why);
  if (reason !== undefined) return `Path not allowed: ${path} cannot be changed: ${reason}`;
  return `Path not allowed: ${path} is in a read-only directory`;
}
