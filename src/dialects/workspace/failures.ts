/** The engine's facts in workspace's codes, with a message for people and details for programs. */
import { truncate } from '../../display/truncate.ts';
import type { EntryType, Failure } from '../../engine/index.ts';
import { whyProtected } from '../results/read-only.ts';
import { didYouMean } from '../results/similar-names.ts';
import { stateUnavailable } from '../results/state-unavailable.ts';
import { withheldBecause } from '../results/withheld.ts';
import type { ErrorCode, WorkspaceError } from './envelope.ts';
import { refusalOf } from './paths.ts';

/** A longer path, pattern or text of the caller's is truncated. */
const MAX_SHOWN = 200;

type Facts<Kind extends Failure['kind']> = Failure & { kind: Kind };

export function workspaceError(facts: Failure): WorkspaceError {
  switch (facts.kind) {
    case 'outside':
      return outside(facts.path);
    case 'bad-path':
      return invalidPath(facts.path, facts.why, badPath(facts));
    case 'is-root':
      return invalidPath(facts.path, 'workspace-root', isRoot(facts));
    case 'into-itself':
      return intoItself(facts);
    case 'read-only':
      return invalidPath(facts.path, 'read-only', readOnly(facts));
    case 'denied':
    case 'withheld':
      return invalidPath(
        facts.path,
        facts.kind === 'denied' ? 'denied' : 'not-allowed',
        withheldBecause(facts),
      );
    case 'permission':
      return invalidPath(facts.path, 'permission-denied', permission(facts));
    case 'not-found':
      return notFound(facts);
    case 'not-a-file':
      return notFile(facts);
    case 'not-a-directory':
      return notDirectory(facts.path);
    case 'exists':
      return exists(facts);
    case 'directory-not-empty':
      return notEmpty(facts.path);
    case 'too-large':
      return tooLarge(facts);
    case 'not-text':
      return notText(facts);
    case 'no-match':
      return patternNotFound(facts);
    case 'unexpected-count':
      return unexpectedCount(facts);
    case 'changed-meanwhile':
      return changedMeanwhile(facts.path);
    case 'bad-arguments':
      return badArguments(facts);
    case 'command-not-allowed':
      return commandNotAllowed(facts);
    case 'argument-not-allowed':
      return argumentNotAllowed(facts);
    case 'command-not-installed':
      return notInstalled(facts.command);
    case 'no-sandbox':
      return noSandbox(facts.reason);
    case 'busy':
      return internal('busy', `${facts.path} is being changed by another server; try again`, facts.path);
    case 'state-unavailable':
      return internal('state-unavailable', stateUnavailable(facts.path), facts.path);
    case 'unstable':
      return internal('unstable', `${facts.path} kept changing during the call; try again`, facts.path);
    case 'io':
      return internal(facts.code, `Cannot ${facts.action} ${facts.path}: ${facts.code}`, facts.path);
    case 'timeout':
      return internal('timeout', `The call was cut off after ${facts.ms / 1000} s`);
    case 'answer-too-large':
      return internal(
        'answer-too-large',
        `The answer would have ${facts.bytes} bytes, one answer may have ${facts.limit}. ${facts.instead}`,
      );
    case 'cancelled':
      return internal('cancelled', 'The call was cancelled');
    // No tool of this dialect uses lines, patterns or patches, or writes in another encoding.
    case 'not-encodable':
    case 'line-out-of-range':
    case 'not-unique':
    case 'bad-group-reference':
    case 'bad-patch':
    case 'hunk-mismatch':
    case 'overlap':
    case 'bad-regex':
    case 'bad-glob':
    case 'no-glob-match':
    case 'no-workspace':
      return internal(facts.kind, `Unexpected failure: ${facts.kind}`);
  }
}

function error(code: ErrorCode, message: string, details: Record<string, unknown>): WorkspaceError {
  return { code, message, details };
}

function invalidPath(path: string, reason: string, message: string): WorkspaceError {
  return error('INVALID_PATH', message, { path, reason });
}

function internal(reason: string, message: string, path?: string): WorkspaceError {
  return error('INTERNAL_ERROR', message, path === undefined ? { reason } : { path, reason });
}

/** The words must not reveal whether the path outside exists. */
function outside(path: string): WorkspaceError {
  const refusal = refusalOf(path);
  const shown = truncate(path, MAX_SHOWN);
  switch (refusal) {
    case 'absolute':
      return invalidPath(
        path,
        refusal,
        `Absolute path: ${shown}. Give it relative to the workspace: src/a.txt`,
      );
    case 'home':
      return invalidPath(path, refusal, `Home directory: ${shown}. Give the path relative to the workspace`);
    case 'parent-segment':
      return invalidPath(path, refusal, `A '..' segment is not allowed: ${shown}`);
    case undefined:
      return invalidPath(path, 'outside', `${shown} leads out of the workspace through a symbolic link`);
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
      return `Too many symbolic links, perhaps in a circle: ${truncate(path, MAX_SHOWN)}`;
  }
}

function isRoot({ path, action }: Facts<'is-root'>): string {
  const done = action === 'delete' ? 'deleted' : `${action}d`;
  const what = path === '.' ? 'The workspace itself' : `${path}, which is or contains a given directory,`;
  return `${what} cannot be ${done}`;
}

function intoItself({ path, destination }: Facts<'into-itself'>): WorkspaceError {
  const reason = 'into-itself';
  return error('INVALID_PATH', `${path} cannot be moved into itself (${destination})`, {
    path,
    reason,
    destination,
  });
}

function readOnly({ path, why }: Facts<'read-only'>): string {
  const reason = whyProtected(why) ?? `the ${why} is read-only`;
  return `${path} cannot be changed: ${reason}`;
}

function permission({ path, action }: Facts<'permission'>): string {
  return `The operating system does not let this user ${action} ${path}`;
}

function notFound({ path, near }: Facts<'not-found'>): WorkspaceError {
  const message = `${truncate(path, MAX_SHOWN)} does not exist${didYouMean(near)}`;
  return error('NOT_FOUND', message, { path, similar: near });
}

function notFile({ path, found }: Facts<'not-a-file'>): WorkspaceError {
  return error('NOT_FILE', `${path} is ${nameOf(found)}, not a file`, { path, found: typeOf(found) });
}

function notDirectory(path: string): WorkspaceError {
  return error('NOT_DIRECTORY', `${path} is, or leads through, something that is not a directory`, { path });
}

function exists({ path, found }: Facts<'exists'>): WorkspaceError {
  const message = `${path} exists already: it is ${nameOf(found)}; nothing was changed`;
  return error('ALREADY_EXISTS', message, { path, found: typeOf(found) });
}

function notEmpty(path: string): WorkspaceError {
  return error('DIRECTORY_NOT_EMPTY', `${path} is a directory with entries in it; nothing was changed`, {
    path,
  });
}

function tooLarge({ path, size, limit, action }: Facts<'too-large'>): WorkspaceError {
  const has = action === 'write' ? 'would have' : 'has';
  const rest = action === 'write' ? '; nothing was written' : '';
  return error('FILE_TOO_LARGE', `${path} ${has} ${size} bytes, the limit is ${limit}${rest}`, {
    path,
    size,
    limit,
  });
}

function notText({ path, why }: Facts<'not-text'>): WorkspaceError {
  return error('VALIDATION_ERROR', `${path} is not valid UTF-8 text; it was left as it is`, {
    path,
    reason: why,
  });
}

function patternNotFound({ path, needle, near }: Facts<'no-match'>): WorkspaceError {
  const lines = near.map(({ line, text }) => `\n  ${line}: ${truncate(text, MAX_SHOWN)}`);
  const hint = lines.length > 0 ? `. Similar lines:${lines.join('')}` : '';
  const message = `The text does not occur in ${path}: ${JSON.stringify(truncate(needle, MAX_SHOWN))}${hint}`;
  return error('PATTERN_NOT_FOUND', message, {
    path,
    similarLines: near.map(({ line, text }) => ({ line, text: truncate(text, MAX_SHOWN) })),
  });
}

function unexpectedCount({ path, expected, count }: Facts<'unexpected-count'>): WorkspaceError {
  const message = `The text occurs in ${path} ${times(count)}, not ${times(expected)}; nothing was changed`;
  return error('EDIT_CONFLICT', message, { path, expectedOccurrences: expected, actualOccurrences: count });
}

function changedMeanwhile(path: string): WorkspaceError {
  const message = `${path} was changed by another program during the call; nothing was written. Read it again`;
  return error('EDIT_CONFLICT', message, { path, reason: 'changed-meanwhile' });
}

function badArguments({ problems }: Facts<'bad-arguments'>): WorkspaceError {
  const message = `Invalid arguments: ${problems.map((problem) => problem.message).join('; ')}`;
  return error('VALIDATION_ERROR', message, {
    reason: 'arguments',
    problems: problems.map((problem) => ({ field: problem.field, message: problem.message })),
  });
}

function commandNotAllowed({ command, allowed }: Facts<'command-not-allowed'>): WorkspaceError {
  const message = `${truncate(command, MAX_SHOWN)} is not allowed. The commands are: ${allowed.join(', ')}`;
  return error('COMMAND_NOT_ALLOWED', message, { command, allowed });
}

function argumentNotAllowed({ command, argument, reason }: Facts<'argument-not-allowed'>): WorkspaceError {
  return error('COMMAND_NOT_ALLOWED', `${command}: ${argument}: ${reason}`, { command, argument, reason });
}

function notInstalled(command: string): WorkspaceError {
  const message = `${command} is allowed, but it is not installed on this machine`;
  return error('NOT_FOUND', message, { command, reason: 'not-installed' });
}

function noSandbox(why: string): WorkspaceError {
  const message = `Commands need the sandbox, which is not available: ${why}`;
  return error('COMMAND_NOT_ALLOWED', message, { reason: 'no-sandbox' });
}

function typeOf(found: EntryType): string {
  return found === 'directory' ? 'dir' : found;
}

function nameOf(found: EntryType): string {
  switch (found) {
    case 'file':
      return 'a file';
    case 'directory':
      return 'a directory';
    case 'symlink':
      return 'a symbolic link';
    case 'special':
      return 'a FIFO, socket or device, which is never opened';
  }
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
