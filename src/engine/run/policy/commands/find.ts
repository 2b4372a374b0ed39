/** find: walks directories and prints what it finds. It has an expression in place of options. */

import type { CommandPolicy, TakePath } from '../declaration.ts';
import { refuse } from '../declaration.ts';

const words = (text: string) => text.trim().split(/\s+/);

/** Parts of an expression that take no argument. */
const ALONE = new Set(
  words(`( ) ! , -not -a -and -o -or -true -false -empty -nouser -nogroup -print -print0 -ls -prune -quit
    -daystart -depth -d -mount -xdev -warn -nowarn -noleaf -ignore_readdir_race -noignore_readdir_race
    -help --help -version --version`),
);

/** Parts that take one argument that is not a path. */
const WITH_TEXT = new Set(
  words(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -regextype
    -type -perm -size -inum -links -used -user -group -uid -gid -fstype -context -maxdepth -mindepth
    -amin -atime -cmin -ctime -mmin -mtime`),
);

/** Parts that take a file to compare with. */
const WITH_PATH = new Set(words('-newer -anewer -cnewer -samefile'));

const RUNS = { reason: 'find would run a program', instead: 'find -print, then a call for what it finds' };
const WRITES = { reason: 'find would write a file', instead: 'find -printf, which prints' };
const FOLLOWS = { reason: 'find would follow links, also those that lead outside' };
const LOOKS_THROUGH = 'it looks at what a link points at, also outside';

const REFUSED: Readonly<Record<string, { reason: string; instead?: string }>> = {
  '-exec': RUNS,
  '-execdir': RUNS,
  '-ok': RUNS,
  '-okdir': RUNS,
  '-delete': { reason: 'find would delete files', instead: 'the tools that delete files' },
  '-fprint': WRITES,
  '-fprint0': WRITES,
  '-fprintf': WRITES,
  '-fls': WRITES,
  '-files0-from': { reason: 'the paths in that list cannot be checked', instead: 'name the paths first' },
  '-L': FOLLOWS,
  '-H': FOLLOWS,
  '-follow': FOLLOWS,
  '-xtype': { reason: LOOKS_THROUGH, instead: '-type' },
  '-readable': { reason: LOOKS_THROUGH, instead: '-perm /444' },
  '-writable': { reason: LOOKS_THROUGH, instead: '-perm /222' },
  '-executable': { reason: LOOKS_THROUGH, instead: '-perm /111' },
};

function refuseByName(argument: string): void {
  const refused = REFUSED[argument];
  if (refused && Object.hasOwn(REFUSED, argument)) refuse('find', argument, refused.reason, refused.instead);
}

/** Whether find reads this as the start of its expression, and not as one more path. */
function startsExpression(argument: string): boolean {
  return (argument.startsWith('-') && argument !== '-') || argument === '(' || argument === '!';
}

function readFind(args: readonly string[], takePath: TakePath): readonly string[] {
  const rest = [...args];
  const front: string[] = [];
  while (rest[0] !== undefined && /^(?:-P|-O[0-3])$/.test(rest[0])) front.push(rest.shift()!);
  if (rest[0] === '--') rest.shift();
  const paths: string[] = [];
  while (rest[0] !== undefined && !startsExpression(rest[0])) {
    const path = takePath(rest.shift()!);
    paths.push(startsExpression(path) || path === ')' || path === ',' ? `./${path}` : path);
  }
  return [...front, ...paths, ...readExpression(rest, takePath)];
}

function readExpression(rest: string[], takePath: TakePath): string[] {
  const expression: string[] = [];
  while (rest.length > 0) {
    const part = rest.shift()!;
    refuseByName(part);
    expression.push(part);
    if (ALONE.has(part)) continue;
    if (!takesArgument(part)) refuseUnknown(part);
    const argument = rest.shift();
    if (argument === undefined) refuse('find', part, `${part} needs an argument`);
    expression.push(comparesFile(part) ? takePath(argument) : argument);
    if (part === '-printf') refuseLinkTypes(argument);
    if (/^-newer.t$/.test(part)) refuseTimeZone(argument);
  }
  return expression;
}

function takesArgument(part: string): boolean {
  return (
    WITH_TEXT.has(part) || WITH_PATH.has(part) || part === '-printf' || /^-newer[aBcm][aBcmt]$/.test(part)
  );
}

/** `-newermt` compares with a time, `-newermm` with a file. */
function comparesFile(part: string): boolean {
  return WITH_PATH.has(part) || /^-newer[aBcm][aBcm]$/.test(part);
}

/** Captures the letter of each directive. A directive for a time takes one more character, whatever it is: `%A%`. */
const DIRECTIVES = /%[-+ 0#]*\d*(?:\.\d*)?(?:[ABCT][\s\S]|([\s\S]))/g;

function refuseLinkTypes(format: string): void {
  for (const [, letter] of format.matchAll(DIRECTIVES)) {
    if (letter === 'Y') refuse('find', format, `%Y: ${LOOKS_THROUGH}`, '%y, the type of the link itself');
  }
}

/** A time may name a time zone, and a time zone may be a file anywhere. */
function refuseTimeZone(time: string): void {
  if (/TZ\s*=/i.test(time)) {
    refuse('find', time, 'the zone of a time may be read from a file outside', 'a time like 2001-01-01 UTC');
  }
}

function refuseUnknown(part: string): never {
  if (part.startsWith('-')) refuse('find', part, 'not among the parts of find that are allowed');
  refuse('find', part, 'paths come before the expression');
}

export const find: CommandPolicy = {
  name: 'find',
  flags: [],
  values: [],
  refused: [],
  operands: { rest: 'path' },
  metadataOnly: true,
  dashIsName: true,
  grammar: readFind,
};
