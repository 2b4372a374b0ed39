/** The engine's facts in patch's words: `Code: message`, as a result marked as an error. */
import { truncate } from '../../display/truncate.ts';
import type { Failure, ReadOnlyReason } from '../../engine/index.ts';
import { type Tool, type ToolOutcome, text } from '../dialect.ts';
import { whyProtected } from '../results/read-only.ts';
import { didYouMean } from '../results/similar-names.ts';
import { stateUnavailable } from '../results/state-unavailable.ts';
import { withheldBecause } from '../results/withheld.ts';

type Words = readonly [code: string, message: string];

export function patchFailed(facts: Failure, tool: Tool): ToolOutcome {
  const [code, message] = wordsFor(facts, tool.name === 'patch_apply');
  return { result: { content: [text(`${code}: ${message}`)], isError: true } };
}

/** `patching`: for patch_apply, a file that cannot be patched is always PatchFailed. Other tools name the reason. */
function wordsFor(facts: Failure, patching: boolean): Words {
  switch (facts.kind) {
    case 'outside':
      return ['OutsideRoot', `${facts.path} resolves outside the configured root`];
    case 'not-found':
      return ['NotFound', `${facts.path} does not exist${didYouMean(facts.near)}`];
    case 'read-only':
      return ['ReadOnly', `${facts.path} cannot be changed: ${readOnlyBecause(facts.why)}`];
    case 'denied':
    case 'withheld':
      return ['AccessDenied', withheldBecause(facts)];
    case 'permission':
      return [
        'PermissionDenied',
        `the operating system does not allow this user to ${facts.action} ${facts.path}`,
      ];
    case 'bad-patch':
      return [
        'PatchFailed',
        `malformed diff, line ${facts.line}: ${facts.reason}; the file was not modified`,
      ];
    case 'hunk-mismatch':
      return ['PatchFailed', mismatch(facts)];
    case 'not-text':
      return [
        patching ? 'PatchFailed' : 'NotText',
        `${facts.path} is not valid UTF-8 text; it was left untouched`,
      ];
    case 'changed-meanwhile':
      return [
        patching ? 'PatchFailed' : 'Busy',
        `${facts.path} was changed by another program during the call; it was not modified`,
      ];
    case 'command-not-allowed':
      return [
        'CommandNotAllowed',
        `${shown(facts.command)} is not permitted. Permitted commands: ${facts.allowed.join(', ')}`,
      ];
    case 'argument-not-allowed':
      return [
        'ArgumentNotAllowed',
        `${facts.command}: ${shown(facts.argument)}: ${facts.reason}${instead(facts.instead)}`,
      ];
    case 'command-not-installed':
      return ['CommandNotInstalled', `${facts.command} is permitted but not installed on this machine`];
    case 'no-sandbox':
      return ['SandboxUnavailable', `commands need the sandbox, which is not available: ${facts.reason}`];
    case 'bad-arguments':
      return ['InvalidArguments', facts.problems.map((problem) => problem.message).join('; ')];
    case 'bad-path':
      return ['InvalidPath', badPath(facts)];
    case 'exists':
      return ['AlreadyExists', `${facts.path} exists already; nothing was changed`];
    case 'not-a-file':
      return [
        'NotAFile',
        `${facts.path} is ${facts.found === 'directory' ? 'a directory' : 'a FIFO, socket or device'}`,
      ];
    case 'not-a-directory':
      return ['NotADirectory', `${facts.path} is, or leads through, something that is not a directory`];
    case 'directory-not-empty':
      return ['DirectoryNotEmpty', `${facts.path} is not empty`];
    case 'is-root':
      return ['NotPermitted', `${facts.path} is, or contains, the configured root itself`];
    case 'into-itself':
      return ['NotPermitted', `${facts.path} cannot be moved into itself (${facts.destination})`];
    case 'too-large':
      return ['TooLarge', `${facts.path} has ${facts.size} bytes, the limit is ${facts.limit}`];
    case 'unstable':
    case 'busy':
      return ['Busy', `${facts.path} kept changing during the call; try again`];
    case 'state-unavailable':
      return ['StateUnavailable', stateUnavailable(facts.path)];
    case 'io':
      if (facts.code === 'E2BIG')
        return ['ArgumentsTooLong', 'the arguments are longer than the system passes to a program'];
      return ['IoError', `cannot ${facts.action} ${facts.path}: ${facts.code}`];
    case 'answer-too-large':
      return [
        'AnswerTooLarge',
        `the answer would have ${facts.bytes} bytes, one answer may have ${facts.limit}. ${facts.instead}`,
      ];
    case 'timeout':
      return ['Timeout', `cut off after ${facts.ms / 1000} s`];
    case 'cancelled':
      return ['Cancelled', 'the call was cancelled'];
    case 'line-out-of-range':
    case 'no-match':
    case 'not-unique':
    case 'unexpected-count':
    case 'not-encodable':
    case 'bad-group-reference':
    case 'overlap':
    case 'bad-regex':
    case 'bad-glob':
    case 'no-glob-match':
    case 'no-workspace':
      return ['InternalError', `unexpected ${facts.kind}`];
  }
}

function mismatch(facts: Failure & { kind: 'hunk-mismatch' }): string {
  const { hunk, path, equallyNear } = facts;
  if (equallyNear) {
    const [first, second] = equallyNear;
    return `hunk ${hunk} fits ${path} at line ${first} and at line ${second}, equally near to the line that it states; the file was not modified. Correct the line in its @@ header, or give it more context`;
  }
  const parts = [
    hunk === 0
      ? `the patch deletes an empty file, but ${path} is not empty; the file was not modified`
      : `hunk ${hunk} does not match ${path} at line ${facts.line}; the file was not modified`,
    'expected:',
    ...indented(facts.expected),
    'found:',
    ...indented(facts.found),
  ];
  if (facts.elsewhere.length > 0) parts.push(`the lines to change are at line ${facts.elsewhere.join(', ')}`);
  return parts.join('\n');
}

/** A last line without a newline carries the usual `\` remark, which gets a line of its own. */
function indented(lines: readonly string[]): string[] {
  if (lines.length === 0) return ['  (the end of the file)'];
  return lines.flatMap((line) => line.split('\n')).map((line) => `  ${line}`);
}

function badPath(facts: Failure & { kind: 'bad-path' }): string {
  switch (facts.why) {
    case 'empty':
      return 'the path is empty';
    case 'nul':
      return 'the path contains a NUL character';
    case 'name-too-long':
      return 'a name in the path is longer than 255 bytes';
    case 'too-deep':
      return 'too many nested directories';
    case 'link-loop':
      return `${facts.path} leads through too many symbolic links`;
  }
}

function readOnlyBecause(why: ReadOnlyReason): string {
  if (why === 'server') return 'the server was started with --read-only';
  return whyProtected(why) ?? 'its directory was given as read-only';
}

function instead(way: string | undefined): string {
  return way === undefined ? '' : `; instead: ${way}`;
}

const MAX_SHOWN = 200;

/** Shows a word of the caller's on one line: truncated when long, quoted when it holds control characters. */
function shown(word: string): string {
  const short = truncate(word, MAX_SHOWN);
  return /[\u0000-\u001f\u007f]/.test(short) ? JSON.stringify(short) : short;
}
