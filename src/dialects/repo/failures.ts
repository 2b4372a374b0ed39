/** The engine's facts in repo's codes: a JSON-RPC error with `error_code` and, where there is one, `path`. */
import { truncate } from '../../display/truncate.ts';
import type { Failure } from '../../engine/index.ts';
import type { Tool } from '../dialect.ts';
import { didYouMean } from '../results/similar-names.ts';
import { withheldBecause } from '../results/withheld.ts';

/** A longer path, pattern or text of the caller's is truncated. */
const MAX_SHOWN = 300;

/** All codes that the reference lists, with their JSON-RPC codes. */
const CODES = {
  file_not_found: -32001,
  directory_not_found: -32001,
  access_denied: -32002,
  file_too_large: -32003,
  binary_file: -32004,
  invalid_pattern: -32005,
  search_timeout: -32006,
  invalid_arguments: -32602,
  internal_error: -32603,
} as const;

export interface RepoError {
  code: number;
  message: string;
  data: { error_code: keyof typeof CODES; path?: string };
}

type Facts<Kind extends Failure['kind']> = Failure & { kind: Kind };

export function repoError(facts: Failure, tool: Pick<Tool, 'name'>): RepoError {
  switch (facts.kind) {
    case 'outside':
      return error(
        'access_denied',
        `Access denied: ${truncate(facts.path, MAX_SHOWN)} is outside the repository`,
        facts,
      );
    case 'denied':
    case 'withheld':
      return error('access_denied', `Access denied: ${withheldBecause(facts)}`, facts);
    case 'bad-path':
      return badPath(facts, tool);
    case 'not-found':
      return missing(facts, tool);
    case 'not-a-file':
      return error('file_not_found', notAFile(facts), facts);
    case 'not-a-directory':
      return wanted(tool) === 'File'
        ? error(
            'file_not_found',
            `File not found: ${truncate(facts.path, MAX_SHOWN)} (it leads through a file as if that were a directory)`,
            facts,
          )
        : error('directory_not_found', `Not a directory: ${truncate(facts.path, MAX_SHOWN)}`, facts);
    case 'too-large':
      return error(
        'file_too_large',
        `File too large: ${facts.path} has ${facts.size} bytes, the limit is ${facts.limit}. search_files finds lines in it`,
        facts,
      );
    case 'not-text':
      return error('binary_file', `Binary file: ${facts.path}. Read it with encoding "base64"`, facts);
    case 'bad-regex':
      return error('invalid_pattern', `Invalid regex ${excerpt(facts.pattern)}: ${facts.reason}`);
    case 'bad-glob':
      return error('invalid_pattern', `Invalid glob ${excerpt(facts.pattern)}: ${facts.reason}`);
    case 'timeout':
      return error(
        'search_timeout',
        `Search exceeded the time limit of ${facts.ms} ms. Use a simpler pattern, or a glob for fewer files`,
      );
    case 'bad-arguments':
      return error(
        'invalid_arguments',
        `Invalid arguments: ${facts.problems.map((problem) => problem.message).join('; ')}`,
      );
    case 'permission':
      return internal(`Permission denied: cannot ${facts.action} ${facts.path}`, facts);
    case 'unstable':
      return internal(`${facts.path} kept changing during the call; try again`, facts);
    case 'io':
      return internal(`Cannot ${facts.action} ${facts.path}: ${facts.code}`, facts);
    case 'answer-too-large':
      return internal(
        `The answer would have ${facts.bytes} bytes, one answer may have ${facts.limit}. ${facts.instead}`,
      );
    case 'cancelled':
      return internal('The call was cancelled');
    // No tool of this dialect writes, edits, patches, runs commands or chooses a workspace.
    case 'read-only':
    case 'exists':
    case 'directory-not-empty':
    case 'is-root':
    case 'into-itself':
    case 'not-encodable':
    case 'line-out-of-range':
    case 'changed-meanwhile':
    case 'busy':
    case 'state-unavailable':
    case 'no-match':
    case 'not-unique':
    case 'unexpected-count':
    case 'bad-group-reference':
    case 'bad-patch':
    case 'hunk-mismatch':
    case 'overlap':
    case 'no-glob-match':
    case 'command-not-allowed':
    case 'argument-not-allowed':
    case 'command-not-installed':
    case 'no-sandbox':
    case 'no-workspace':
      return internal(`Unexpected failure: ${facts.kind}`);
  }
}

function error(
  error_code: RepoError['data']['error_code'],
  message: string,
  at?: { path: string },
): RepoError {
  const data = at === undefined ? { error_code } : { error_code, path: at.path };
  return { code: CODES[error_code], message, data };
}

function internal(message: string, at?: { path: string }): RepoError {
  return error('internal_error', message, at);
}

/** What the tool expects at its path. */
function wanted({ name }: Pick<Tool, 'name'>): 'File' | 'Directory' {
  return name === 'read_file' ? 'File' : 'Directory';
}

function notFound(tool: Pick<Tool, 'name'>, at: { path: string }, more: string): RepoError {
  const what = wanted(tool);
  const code = what === 'File' ? 'file_not_found' : 'directory_not_found';
  return error(code, `${what} not found: ${truncate(at.path, MAX_SHOWN)}${more}`, at);
}

function missing(facts: Facts<'not-found'>, tool: Pick<Tool, 'name'>): RepoError {
  return notFound(tool, facts, didYouMean(facts.near));
}

function badPath(facts: Facts<'bad-path'>, tool: Pick<Tool, 'name'>): RepoError {
  switch (facts.why) {
    case 'empty':
      return error('invalid_arguments', 'Invalid arguments: the path is empty', facts);
    case 'nul':
      return error('invalid_arguments', 'Invalid arguments: the path contains a NUL character', facts);
    case 'too-deep':
      return error(
        'invalid_arguments',
        `Invalid arguments: the path is too long: ${truncate(facts.path, MAX_SHOWN)}`,
        facts,
      );
    case 'name-too-long':
      return notFound(tool, facts, ' (a name in it is longer than 255 bytes)');
    case 'link-loop':
      return notFound(tool, facts, ' (too many symbolic links, perhaps in a circle)');
  }
}

function notAFile({ path, found }: Facts<'not-a-file'>): string {
  return found === 'directory'
    ? `Not a file: ${path} is a directory; list_files lists it`
    : `Not a file: ${path} is a FIFO, a socket or a device, which is never opened`;
}

function excerpt(pattern: string): string {
  return JSON.stringify(truncate(pattern, MAX_SHOWN));
}
