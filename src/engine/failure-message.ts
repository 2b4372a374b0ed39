/**
 * Describes a failure in one sentence, for programs that use the engine as a library: `not-found: notes.txt does not
 * exist`.
 */
import type { Failure, ReadOnlyReason } from './failures.ts';

/** The kind comes first, then the facts in words. Dialects do not use this: each has words of its own. */
export function failureMessage(facts: Failure): string {
  return `${facts.kind}: ${failureSentence(facts)}`;
}

/** The sentence without the kind. */
export function failureSentence(facts: Failure): string {
  return aboutPath(facts) ?? aboutContent(facts) ?? aboutCall(facts) ?? JSON.stringify(facts);
}

/** The same sentence without the texts that an edit looked for: for records that hold no contents of files. */
export function sentenceWithoutContents(facts: Failure): string {
  switch (facts.kind) {
    case 'no-match':
      return `edit ${facts.edit}: its text does not occur in ${facts.path}`;
    case 'not-unique':
      return `edit ${facts.edit}: its text occurs ${facts.count} times in ${facts.path}, on lines ${facts.lines.join(', ')}`;
    case 'not-encodable':
      return `${facts.path} is in ${facts.charset}, which lacks the character at line ${facts.line}, column ${facts.column} of the new text`;
    case 'bad-regex':
      // The pattern may be the text of an edit.
      return `the pattern is not valid: ${facts.reason.replaceAll(facts.pattern || '//', '…')}`;
    case 'bad-patch':
      // Some reasons quote the line of the patch that they are about.
      return `line ${facts.line} of the patch: ${facts.reason.replace(/, and this one is '.*$/s, '')}`;
    default:
      return failureSentence(facts);
  }
}

const BAD_PATH = {
  empty: 'the path is empty',
  nul: 'the path has a NUL character in it',
  'name-too-long': 'a name in the path is too long',
  'too-deep': 'the path is too deep',
  'link-loop': 'the links in the path form a loop',
} as const;

const READ_ONLY: Readonly<Record<ReadOnlyReason, string>> = {
  server: 'everything is read-only',
  directory: 'its directory is read-only',
  program: 'it belongs to Cofferdam itself',
  git: 'Git runs programs that it names',
  'ignore-file': 'it says which files are hidden',
  'workspace-file': 'the servers of a fleet know this directory by it',
};

/** Codes of the system that a user can do something about. */
const IO: Readonly<Record<string, string>> = {
  ENODATA: 'what the journal has kept of it is damaged',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};

function whyIo(code: string): string {
  const why = IO[code];
  return why === undefined ? ` (${code})` : `: ${why}`;
}

function aboutPath(facts: Failure): string | undefined {
  switch (facts.kind) {
    case 'outside':
      return `${facts.path} is outside the directories`;
    case 'bad-path':
      return `${shown(facts.path)}: ${BAD_PATH[facts.why]}`;
    case 'not-found':
      return `${facts.path} does not exist${near(facts.near)}`;
    case 'not-a-file':
      return `${facts.path} is ${facts.found === 'directory' ? 'a directory' : 'a FIFO, a socket or a device'}, not a file`;
    case 'not-a-directory':
      return `${facts.path} is not a directory`;
    case 'exists':
      return `${facts.path} already exists: a ${facts.found}`;
    case 'directory-not-empty':
      return `${facts.path} is a directory that is not empty`;
    case 'is-root':
      return `${facts.path} is one of the given directories, which cannot be ${facts.action}d`;
    case 'into-itself':
      return `${facts.path} cannot be moved into itself, to ${facts.destination}`;
    case 'read-only':
      return `${facts.path} cannot be changed: ${READ_ONLY[facts.why]}`;
    case 'denied':
      return `the owner denies ${facts.path}${facts.holds === undefined ? '' : `, because it holds ${facts.holds}`}`;
    case 'withheld':
      return facts.action === 'create'
        ? `${facts.path} cannot be created`
        : `this cannot ${facts.action} ${facts.path}: it holds entries that this server does not serve`;
    case 'permission':
      return `this user may not ${facts.action} ${facts.path}`;
    case 'unstable':
      return `${facts.path} kept changing while it was looked up`;
    case 'io':
      return `could not ${facts.action} ${facts.path}${whyIo(facts.code)}`;
    default:
      return undefined;
  }
}

function aboutContent(facts: Failure): string | undefined {
  switch (facts.kind) {
    case 'too-large':
      return `${facts.path} has ${facts.size} bytes, and the limit to ${facts.action} is ${facts.limit}`;
    case 'not-text':
      return `${facts.path} is not text: it ${facts.why === 'nul' ? 'has NUL bytes' : 'is not valid UTF-8'}`;
    case 'not-encodable':
      return `${facts.path} is in ${facts.charset}, which has no character ${shown(facts.character)}`;
    case 'line-out-of-range':
      return `${facts.path} has ${facts.lines} lines; there is no line ${facts.line}`;
    case 'changed-meanwhile':
      return `another program changed ${facts.path} at the same time`;
    case 'busy':
      return `another process is changing ${facts.path}`;
    case 'state-unavailable':
      return `the database that keeps the history cannot be reached, so ${facts.path} was not changed`;
    case 'no-match':
      return `edit ${facts.edit}: ${shown(facts.needle)} does not occur in ${facts.path}`;
    case 'not-unique':
      return `edit ${facts.edit}: ${shown(facts.needle)} occurs ${facts.count} times in ${facts.path}, on lines ${facts.lines.join(', ')}`;
    case 'unexpected-count':
      return `${facts.path} has ${facts.count} occurrences, but ${facts.expected} were expected`;
    case 'bad-group-reference':
      return `edit ${facts.edit} of ${facts.path}: ${facts.reference} is not one of the ${facts.groups} groups`;
    case 'bad-patch':
      return `line ${facts.line} of the patch: ${facts.reason}`;
    case 'hunk-mismatch':
      return `hunk ${facts.hunk} does not fit ${facts.path} at line ${facts.line}`;
    case 'overlap':
      return `changes ${facts.first} and ${facts.second} of ${facts.path} overlap`;
    default:
      return undefined;
  }
}

function aboutCall(facts: Failure): string | undefined {
  switch (facts.kind) {
    case 'bad-regex':
    case 'bad-glob':
      return `${shown(facts.pattern)}: ${facts.reason}`;
    case 'timeout':
      return `the ${facts.what} took more than ${facts.ms} ms`;
    case 'no-glob-match':
      return `nothing matches ${shown(facts.pattern)}`;
    case 'command-not-allowed':
      return `${shown(facts.command)} is not one of ${facts.allowed.join(', ')}`;
    case 'argument-not-allowed':
      return `${facts.command} ${shown(facts.argument)}: ${facts.reason}`;
    case 'command-not-installed':
      return `${facts.command} is not installed`;
    case 'no-sandbox':
      return facts.reason;
    case 'bad-arguments':
      return facts.problems.map(({ message }) => message).join('; ');
    case 'answer-too-large':
      return `the answer has ${facts.bytes} bytes, and the limit is ${facts.limit}: ${facts.instead}`;
    case 'no-workspace':
      return 'no workspace was chosen';
    case 'cancelled':
      return 'the call was cancelled';
    default:
      return undefined;
  }
}

function near(names: readonly string[]): string {
  return names.length === 0 ? '' : `; similar: ${names.join(', ')}`;
}

const LONGEST = 80;

function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
