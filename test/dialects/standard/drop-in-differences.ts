/** The differences from the official server that are allowed, keyed by their ids in src/dialects/standard/docs.json. */
import { resolve } from 'node:path';
import picomatch from 'picomatch';
import type { Tree } from '../../tree.ts';
import type { Call } from './drop-in-calls.ts';
import type { Answer } from './drop-in-servers.ts';
import { ignoredNames } from './drop-in-tree.ts';

export interface Difference {
  call: Call;
  ours: Answer;
  theirs: Answer;
}

type Allows = (difference: Difference) => boolean;

const sameDisk = ({ ours, theirs }: Difference) => JSON.stringify(ours.disk) === JSON.stringify(theirs.disk);
const bothFail = ({ ours, theirs }: Difference) => ours.isError && theirs.isError;
const firstLine = ({ text }: Answer) => text.split('\n')[0]!;
const pathOf = ({ args }: Call) => String(args.path ?? args.source);

export const allowed: Readonly<Record<string, Allows>> = {
  budget({ ours, theirs }) {
    const [note] = /\n\[lines 1-\d+ of [\d,]+; next: read_text_file \{.*\}\]$/.exec(ours.text) ?? [''];
    return note !== '' && theirs.text.startsWith(`${ours.text.slice(0, -note.length)}\n`);
  },

  backslashes: ({ call, ours }) =>
    /^[^/\\]*\\/.test(pathOf(call)) &&
    ours.text === `Access denied - Windows-style path received on a POSIX host: ${pathOf(call)}`,

  parents({ call, ours, theirs }) {
    const isMade = /^Successfully (wrote|moved)/.test(ours.text);
    return isMade && theirs.text.startsWith('ENOENT') && /\/(missing|not)\//.test(JSON.stringify(call.args));
  },

  'kept-bytes'({ call, ours, theirs }) {
    const unixEnds = (disk: Tree | undefined) => JSON.stringify(disk).replaceAll('\\r\\n', '\\n');
    const isEdit = call.tool === 'edit_file' && /crlf|mixed/.test(pathOf(call));
    return isEdit && withoutNotes(ours.text) === theirs.text && unixEnds(ours.disk) === unixEnds(theirs.disk);
  },

  twice: ({ call, ours }) =>
    call.tool === 'edit_file' && ours.isError && /^(Edit 1: )?oldText occurs \d+ times in /.test(ours.text),

  ignored({ call, ours, theirs }) {
    if (ours.isError || theirs.isError) return false;
    if (call.tool === 'directory_tree') return ours.text === withoutIgnored(theirs.text);
    const left = theirs.text.split('\n').filter((path) => !ignoredNames.includes(path.split('/')[1]!));
    const expected =
      left.length > 0
        ? left.join('\n')
        : 'No matches found\n[.gitignore names what matches; includeIgnored: true finds it]';
    return call.tool === 'search_files' && ours.text === expected;
  },

  'excluded-directories'({ call, ours, theirs }) {
    const patterns = (call.args.excludePatterns ?? []) as string[];
    const excluded = patterns
      .filter((each) => /\/(\*\*)?$|^\//.test(each))
      .map((each) => each.replace(/^\/|\/(\*\*)?$/g, ''))
      .filter((each) => each !== '');
    const isExcluded = (path: string) => excluded.some((each) => picomatch(each)(path));
    if (excluded.length === 0 || ours.isError || theirs.isError) return false;
    if (call.tool === 'directory_tree') {
      return ours.text === JSON.stringify(withoutNodes(JSON.parse(theirs.text), isExcluded), null, 2);
    }
    const isBelow = (path: string) =>
      path.split('/').some((_, end, names) => isExcluded(names.slice(0, end + 1).join('/')));
    const left = theirs.text.split('\n').filter((path) => !isBelow(path.slice('{ROOT}/'.length)));
    return call.tool === 'search_files' && withRawNames(ours.text) === withRawNames(left.join('\n'));
  },

  'name-search'({ call, ours, theirs }) {
    const pattern = String(call.args.pattern);
    const known = new Set(theirs.text.split('\n'));
    const found = ours.text.split('\n').filter((path) => !known.has(path));
    const isMore = found.every((path) =>
      path.split('/').at(-1)!.toLowerCase().includes(pattern.toLowerCase()),
    );
    return (
      call.tool === 'search_files' && !/[*?{]/.test(pattern) && theirs.text === 'No matches found' && isMore
    );
  },

  'extended-globs'({ call, ours, theirs }) {
    const pattern = String(call.args.pattern);
    if (call.tool !== 'search_files' || ours.isError || theirs.isError) return false;
    if (String(call.args.excludePatterns).startsWith('!')) return ours.text.includes('{ROOT}/src/a.ts');
    if (pattern.startsWith('./')) return theirs.text === 'No matches found';
    return /[@+*?]\(/.test(pattern) && ours.text === 'No matches found';
  },

  'moved-links'({ call, ours }) {
    const { source, destination } = call.args as Record<string, string>;
    const moved = ours.disk?.[String(destination).replace('{ROOT}', 'root')];
    const isLink = typeof moved === 'object' && 'link' in moved;
    return call.tool === 'move_file' && /\/link-/.test(source!) && isLink && !ours.isError;
  },

  outside(difference) {
    const { call, ours, theirs } = difference;
    const words = /symlink target outside allowed directories: .* not in/;
    const path = call.tool === 'read_multiple_files' ? '{ROOT}/link-out' : pathOf(call);
    const expected = theirs.text.replace(words, `path outside allowed directories: ${path} not in`);
    return words.test(theirs.text) && sameDisk(difference) && ours.text === expected;
  },

  'outside-sizes'({ call, ours, theirs }) {
    const inside = ({ text }: Answer) => text.replace(/\[FILE\] link-out.*\n|Combined size: .*/g, '');
    return call.tool === 'list_directory_with_sizes' && inside(ours) === inside(theirs);
  },

  'paths-as-called'(difference) {
    const { call, ours, theirs } = difference;
    const named = [call.args.path, call.args.source, call.args.destination].filter(
      (path) => typeof path === 'string',
    );
    const resolved = named.map((path) => [path, ours.text.includes(path) ? realOf(path) : path] as const);
    const expected = resolved.reduce((text, [path, real]) => text.replace(`${path}`, real), firstLine(ours));
    return bothFail(difference) && sameDisk(difference) && expected === theirs.text;
  },

  'next-steps'(difference) {
    const { call, ours, theirs } = difference;
    const isAdded =
      call.tool === 'read_multiple_files'
        ? ours.text.replace('\nlist_directory lists what is in it.', '') === theirs.text
        : ours.isError && theirs.isError && ours.text.startsWith(`${theirs.text}\n`);
    return isAdded && sameDisk(difference);
  },

  'not-text': ({ call, ours }) =>
    /\/(data\.bin|latin1\.txt)$/.test(pathOf(call)) &&
    /^\S+ is not text \(.*\)\nread_media_file/.test(ours.text),

  'edit-notes': (difference) =>
    sameDisk(difference) &&
    difference.ours.text !== withoutNotes(difference.ours.text) &&
    withoutNotes(difference.ours.text) === difference.theirs.text,

  'blank-old-text'({ call, ours }) {
    const [edit] = (call.args.edits ?? []) as { oldText?: string }[];
    return edit?.oldText?.trim() === '' && ours.text.startsWith('Could not find exact match for edit:\n');
  },

  indentation({ call, ours, theirs }) {
    const isShifted = ours.text.includes('with its indentation shifted, and that of newText]');
    return (
      call.tool === 'edit_file' &&
      !theirs.isError &&
      (isShifted || ours.text.startsWith('Could not find exact match'))
    );
  },

  'new-text-as-it-is': ({ ours, theirs }) =>
    ours.text.includes('trailing blanks aside]') &&
    ours.text.includes('\n+a\n') &&
    theirs.text.includes('\n+    a\n'),

  'other-diffs'(difference) {
    const [mine, other] = [difference.ours, difference.theirs].map(({ text }) =>
      text.split('\n').sort().join('\n'),
    );
    return difference.call.tool === 'edit_file' && sameDisk(difference) && mine === other;
  },

  'no-change': ({ ours, theirs }) =>
    /^(There are no edits|The edits change nothing)/.test(ours.text) &&
    theirs.text.endsWith('\tmodified\n```\n\n'),

  'empty-old-text': ({ ours, theirs }) =>
    ours.text.startsWith('oldText is empty, which fits an empty file only') && !theirs.isError,

  'file-info': ({ ours, theirs }) =>
    ours.text.replace(/\nlines: \d+\nhash: [0-9a-z]{8}$/, '') === theirs.text && ours.text !== theirs.text,

  'argument-words': (difference) =>
    bothFail(difference) && difference.theirs.text.startsWith('MCP error -32602: Input validation error'),

  'odd-numbers': ({ call, ours }) => {
    const count = Number(call.args.head ?? call.args.tail);
    const words = count < 0 ? /^(head|tail): -\d+ is less than 0$/ : /^(head|tail) must be an integer/;
    return (count < 0 || !Number.isInteger(count)) && words.test(ours.text);
  },

  'control-characters': (difference) =>
    sameDisk(difference) &&
    difference.ours.isError === difference.theirs.isError &&
    withRawNames(difference.ours.text) === withRawNames(difference.theirs.text),

  'broken-links': ({ call, theirs }) =>
    /\/link-broken/.test(JSON.stringify(call.args)) &&
    theirs.text === 'Parent directory does not exist: {ROOT}',

  'draft-names': (difference) =>
    sameDisk(difference) &&
    /^EISDIR: illegal operation on a directory, rename '.*\.[0-9a-f]{32}\.tmp' -> /.test(
      difference.theirs.text,
    ) &&
    firstLine(difference.ours) ===
      `EISDIR: illegal operation on a directory, open '${pathOf(difference.call)}'`,

  'given-directories': (difference) =>
    sameDisk(difference) &&
    difference.ours.text.startsWith('Access denied - {ROOT} is, or contains, a directory'),
};

function withoutNotes(text: string): string {
  return text.replace(/(\[edit \d+: [^\n]*\]\n)+$/, '');
}

/** Unquotes names, and ignores columns, which a quoted name widens. */
function withRawNames(text: string): string {
  const raw = text.replace(/"[^"\n]*\\[nu][^"\n]*"/g, (quoted) => JSON.parse(quoted) as string);
  return raw.replace(/ +/g, ' ');
}

/** The path as the official server sees it: absolute, with the links inside the root resolved. */
function realOf(path: string): string {
  if (path === '{ROOT}/link-in') return '{ROOT}/plain.txt';
  const absolute = resolve('/BESIDE/ROOT', path.replace('{ROOT}', '/BESIDE/ROOT'));
  return absolute.replace(/^\/BESIDE\/ROOT/, '{ROOT}').replace(/^\/BESIDE/, '{BESIDE}');
}

interface Node {
  name: string;
  children?: Node[];
}

function withoutIgnored(json: string): string {
  const isIgnored = (path: string) => ignoredNames.includes(path);
  return JSON.stringify(withoutNodes(JSON.parse(json) as Node[], isIgnored), null, 2);
}

function withoutNodes(nodes: readonly Node[], isLeftOut: (path: string) => boolean, below = ''): Node[] {
  const left = nodes.filter(({ name }) => !isLeftOut(`${below}${name}`));
  return left.map((node) =>
    node.children
      ? { ...node, children: withoutNodes(node.children, isLeftOut, `${below}${node.name}/`) }
      : node,
  );
}
