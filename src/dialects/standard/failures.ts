/**
 * The engine's facts in words: the first line says what is wrong, in the official server's words where it has them,
 * and the lines after it say what to do next.
 */

import { grouped } from '../../display/grouped.ts';
import { truncate } from '../../display/truncate.ts';
import type { Failure } from '../../engine/index.ts';
import { type ResultOutcome, type Tool, type ToolContext, type ToolOutcome, text } from '../dialect.ts';
import { onOneLine } from '../results/one-line.ts';
import { whyProtected } from '../results/read-only.ts';
import { withheldBecause } from '../results/withheld.ts';
import { refused } from './outcome.ts';
import { asCalled } from './paths.ts';
import { MAX_SHOWN_PATH } from './shown-lengths.ts';

/** A longer pattern or text of the caller's is truncated. */
const MAX_SHOWN = 200;

export function failed(facts: Failure, tool: Tool, context: ToolContext): ToolOutcome {
  return { result: { content: [text(failureText(facts, tool.name, context))], isError: true } };
}

export function failureText(facts: Failure, tool: string, context: ToolContext): string {
  const shown = 'path' in facts && facts.path !== undefined ? onOneLine(asCalled(facts.path, context)) : '';
  return (
    aboutPath(facts, shown, tool, context) ??
    aboutContent(facts, shown) ??
    aboutCall(facts) ??
    `${facts.kind}: ${shown}`
  );
}

/** The system call that the official server names in its messages. */
const SYSTEM_CALLS: Readonly<Record<string, string>> = {
  create_directory: 'mkdir',
  delete_file: 'unlink',
  directory_tree: 'scandir',
  get_file_info: 'stat',
  grep_files: 'scandir',
  list_directory: 'scandir',
  list_directory_with_sizes: 'scandir',
  move_file: 'rename',
  search_files: 'scandir',
};

function aboutPath(facts: Failure, shown: string, tool: string, context: ToolContext): string | undefined {
  const call = SYSTEM_CALLS[tool] ?? 'open';
  switch (facts.kind) {
    case 'outside':
      return outside(shown, context);
    case 'bad-path':
      return badPath(facts, shown, context);
    case 'not-found':
      return notFound(facts.near, `${call} '${shown}'`);
    case 'not-a-file':
      return facts.found === 'directory'
        ? `EISDIR: illegal operation on a directory, ${tool === 'write_file' ? `open '${shown}'` : 'read'}\nlist_directory lists what is in it.`
        : `Not a file: '${shown}' is a FIFO, socket or device, which is never opened`;
    case 'not-a-directory':
      return `ENOTDIR: not a directory, ${facts.through || call !== 'scandir' ? 'realpath' : call} '${shown}'`;
    case 'exists':
      return tool === 'move_file'
        ? `Destination already exists: ${shown}`
        : `EEXIST: file already exists, ${call} '${shown}'`;
    case 'directory-not-empty':
      return `ENOTEMPTY: directory not empty, ${call} '${shown}'\nrecursive: true deletes it with everything in it.`;
    case 'is-root':
      return `Access denied - ${shown} is, or contains, a directory that this server was given: it cannot be ${facts.action}d`;
    case 'into-itself':
      return `EINVAL: invalid argument, rename '${shown}' -> '${asCalled(facts.destination, context)}'\nA directory cannot be moved into itself.`;
    case 'read-only':
      return readOnly(facts, shown);
    case 'denied':
    case 'withheld':
      return `Access denied - ${withheldBecause({ ...facts, path: shown })}`;
    case 'permission':
      return `EACCES: permission denied, ${call} '${shown}'`;
    case 'unstable':
      return `${shown} kept changing during the call\nTry again.`;
    case 'io':
      return `${facts.code}: cannot ${facts.action} '${shown}'`;
    default:
      return undefined;
  }
}

function outside(shown: string, { engine }: ToolContext): string {
  const given = engine.roots.map(({ path }) => path).join(', ');
  return `Access denied - path outside allowed directories: ${shown} not in ${given}`;
}

/** The official server notices these problems when it looks up the real path, so its messages name `realpath`. */
function badPath({ why }: Failure & { kind: 'bad-path' }, shown: string, context: ToolContext): string {
  switch (why) {
    case 'empty':
      return 'The path is empty\nA directory itself is "."';
    case 'nul':
      return outside(shown, context);
    case 'name-too-long':
      return `ENAMETOOLONG: name too long, realpath '${truncate(shown, MAX_SHOWN_PATH)}'`;
    case 'too-deep':
      return `ENAMETOOLONG: name too long, realpath '${truncate(shown, MAX_SHOWN_PATH)}'\nThe directories are nested too deeply.`;
    case 'link-loop':
      return `ELOOP: too many symbolic links encountered, realpath '${shown}'`;
  }
}

function readOnly({ why }: Failure & { kind: 'read-only' }, shown: string): string {
  const protectedBecause = whyProtected(why);
  if (protectedBecause !== undefined)
    return `Access denied - ${shown} cannot be changed: ${protectedBecause}`;
  const what = why === 'server' ? 'this server is' : 'its directory is';
  return `Access denied - read-only: ${shown} cannot be changed, ${what} read-only`;
}

function notFound(near: readonly string[], call: string): string {
  return `ENOENT: no such file or directory, ${call}${nearNames(near)}`;
}

/** The result for a missing path when `call` names another path as well. */
export function missing(near: readonly string[], call: string): ResultOutcome {
  return refused(notFound(near, call), 'not-found');
}

function nearNames(near: readonly string[]): string {
  return near.length === 0 ? '' : `\nDid you mean ${near.slice(0, 3).map(onOneLine).join(', ')}?`;
}

function aboutContent(facts: Failure, shown: string): string | undefined {
  switch (facts.kind) {
    case 'too-large':
      return `${shown} has ${grouped(facts.size)} bytes, and at most ${grouped(facts.limit)} can be ${facts.action === 'write' ? 'written' : facts.action === 'edit' ? 'edited' : 'read'} at once`;
    case 'not-text':
      return notText(facts, shown);
    case 'not-encodable':
      return notEncodable(facts, shown);
    case 'line-out-of-range':
      return `${shown} has ${grouped(facts.lines)} lines; there is no line ${grouped(facts.line)}`;
    case 'changed-meanwhile':
      return `${shown} was changed by another program during the call; nothing was written\nRead it again and repeat the call.`;
    case 'busy':
      return `${shown} is being changed by another server\nTry again.`;
    case 'state-unavailable':
      return `The database that keeps the history cannot be reached, so ${shown} was not changed\nReading still works. Try the change again in a moment.`;
    case 'no-match':
      return `Could not find exact match for edit:\n${facts.needle}`;
    case 'not-unique':
      return `The text of edit ${facts.edit} occurs ${facts.count} times in ${shown}, at lines ${facts.lines.join(', ')}`;
    case 'unexpected-count':
      return `Expected ${facts.expected} places in ${shown}, found ${facts.count}`;
    case 'bad-group-reference':
      return `Edit ${facts.edit}: newText refers to group ${facts.reference}, but the pattern has ${facts.groups}`;
    case 'bad-patch':
      return `Malformed patch at line ${facts.line}: ${facts.reason}`;
    case 'hunk-mismatch':
      return hunkMismatch(facts, shown);
    case 'overlap':
      return `Edits ${facts.first} and ${facts.second} overlap in ${shown}`;
    default:
      return undefined;
  }
}

function notText({ why }: Failure & { kind: 'not-text' }, shown: string): string {
  if (why === 'nul') return `${shown} is not text (it holds NUL bytes)\nread_media_file gives its bytes.`;
  return `${shown} is not text (it is not valid UTF-8)\nread_media_file gives its bytes. If it is text in another encoding, charset in an .editorconfig can say which.`;
}

function notEncodable(facts: Failure & { kind: 'not-encodable' }, shown: string): string {
  const { charset, character, line, column, isBroken } = facts;
  if (isBroken)
    return `${shown} has a broken character at line ${line}, character ${column}: in ${charset}, the text written after it would become part of that character\nNothing was changed. Replace the broken character as well.`;
  const code = `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
  return `${shown} is in ${charset}, which has no ${JSON.stringify(character)} (${code}), as in line ${line}, character ${column} of the new text\nNothing was changed. Write it in other characters.`;
}

const MOST_LINES = 20;

function hunkMismatch(facts: Failure & { kind: 'hunk-mismatch' }, shown: string): string {
  const { hunk, line, expected, found, elsewhere, equallyNear, appliedAt } = facts;
  const what = equallyNear
    ? `fits at lines ${equallyNear.join(' and ')} alike`
    : `does not fit at line ${line}`;
  const lines = [`${shown}: hunk ${hunk} ${what}; nothing was changed`];
  if (equallyNear) lines.push('Give more context.');
  else if (appliedAt !== undefined)
    lines.push(`Its new lines are at line ${appliedAt} already: the hunk seems to be applied.`);
  else if (elsewhere.length > 1) lines.push(`It fits at lines ${elsewhere.join(', ')}: give more context.`);
  const wanted = expected.slice(0, MOST_LINES).map((each) => `- ${each}`);
  const there = found.slice(0, MOST_LINES).map((each) => `+ ${each}`);
  if (wanted.length + there.length > 0) lines.push('Expected (-) and found (+):', ...wanted, ...there);
  return lines.join('\n');
}

function aboutCall(facts: Failure): string | undefined {
  switch (facts.kind) {
    case 'bad-regex':
      return `Invalid regular expression ${quote(facts.pattern)}: ${facts.reason}`;
    case 'bad-glob':
      return `Invalid glob ${quote(facts.pattern)}: ${facts.reason}`;
    case 'timeout':
      return facts.what === 'search'
        ? `The search took longer than ${facts.ms / 1000} s and was ended\nTry a simpler pattern, or a smaller directory.`
        : `The pattern took longer than ${facts.ms / 1000} s and was ended\nTry a simpler pattern.`;
    case 'no-glob-match':
      return `No file matches ${quote(facts.pattern)}`;
    case 'command-not-allowed':
      return `${quote(facts.command)} may not be run here`;
    case 'argument-not-allowed':
      return `${facts.command} may not be run with ${quote(facts.argument)}: ${facts.reason}`;
    case 'command-not-installed':
      return `${quote(facts.command)} is not installed`;
    case 'no-sandbox':
      return `Commands are not run: ${facts.reason}`;
    case 'bad-arguments':
      return facts.problems.map(({ message }) => message).join('\n');
    case 'answer-too-large':
      return `The answer would have ${grouped(facts.bytes)} bytes, and at most ${grouped(facts.limit)} can be sent\n${facts.instead}.`;
    case 'cancelled':
      return 'The call was cancelled';
    default:
      return undefined;
  }
}

function quote(value: string): string {
  return truncate(JSON.stringify(value), MAX_SHOWN);
}
