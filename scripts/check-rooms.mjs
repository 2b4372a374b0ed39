/**
 * Checks which folders of src/ import which.
 *
 * Every folder except the dialects' tools/ must have a README.md. A folder whose README has a line 'May import: …' is a
 * room, together with the folders below it whose README has no such line. The line names other rooms, single files of
 * other rooms, modules of Node that reach the system, and packages. The files of a room may import nothing else, and
 * must import all of it, so that the line stays true. Rooms must not import each other in a circle. Files and folders
 * that the rest of a README names must exist.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../src/', import.meta.url));
const LINE = /^May import: (.*)\.$/m;
/** A file or folder as a README names it: relative to its own folder, to src/ or to the repository. */
const MENTION = /`([\w./-]+(?:\.ts|\/))`/g;
const IMPORT = /^\s*(?:import|export)\b[^'"]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)/gm;
/** Modules of Node that only compute, and reach nothing. No README has to name them. */
const HARMLESS = new Set(
  ['assert', 'buffer', 'crypto', 'events', 'os', 'path', 'perf_hooks', 'process', 'stream', 'string_decoder']
    .concat(['timers', 'timers/promises', 'url', 'util', 'util/types', 'v8', 'zlib', 'stream/promises'])
    .map((name) => `node:${name}`),
);
/** Folders that need no README, because the one above says all there is to say. */
const BARE = /^dialects\/\w+\/tools$/;
const STARTERS = new Set(['main.ts', 'launch.ts', 'library/surroundings.ts']);
/** Only the starters may read these. They pass on what the other modules need. */
const SURROUNDINGS = /\bprocess\.(argv|env)\b/;

const problems = [];
const lines = new Map();
const files = sourceFiles('');
const rooms = new Map();
for (const file of files) if (!rooms.has(roomOf(file))) rooms.set(roomOf(file), readRoom(roomOf(file)));

const named = new Set([...rooms.values()].flatMap(({ allowed }) => [...allowed]));
const arrows = new Map();
for (const file of files) check(file);
for (const [name, { allowed, used }] of rooms) {
  for (const each of allowed)
    if (!used.has(each)) problems.push(`${name}/README.md names ${each}: nothing imports it`);
}
const circle = findCircle();
if (circle) problems.push(`rooms that import each other: ${circle.join(' → ')}`);

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

function sourceFiles(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

/** The nearest folder whose README has the line. A file directly in src/ is a room of its own. */
function roomOf(file) {
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) {
    if (lineOf(folder) !== undefined) return folder;
  }
  return file;
}

function lineOf(folder) {
  if (!lines.has(folder)) {
    const readme = join(root, folder, 'README.md');
    const text = existsSync(readme) ? readFileSync(readme, 'utf8') : undefined;
    if (text === undefined && !BARE.test(folder)) problems.push(`src/${folder} has no README.md`);
    lines.set(folder, text === undefined ? undefined : LINE.exec(text)?.[1]);
    for (const [, name] of (text ?? '').replace(LINE, '').matchAll(MENTION)) {
      if (![folder, '', '..'].some((from) => existsSync(join(root, from, name))))
        problems.push(`src/${folder}/README.md names ${name}: there is no such file or folder`);
    }
  }
  return lines.get(folder);
}

function readRoom(name) {
  if (name.endsWith('.ts')) return { allowed: new Set(), used: new Set(), isFree: true };
  const allowed = new Set([...lineOf(name).matchAll(/`([^`]+)`/g)].map((match) => match[1]));
  return { allowed, used: new Set(), isFree: false };
}

function check(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const room = roomOf(file);
  if (!STARTERS.has(file) && SURROUNDINGS.test(text))
    problems.push(
      `${file} reads process.argv or process.env: only main.ts, launch.ts and library/surroundings.ts do`,
    );
  for (const match of text.matchAll(IMPORT)) {
    const target = match[1] ?? match[2] ?? match[3];
    const imported = target.startsWith('.') ? relative(root, join(root, dirname(file), target)) : target;
    if (HARMLESS.has(imported) || (target.startsWith('.') && roomOf(imported) === room)) continue;
    use(file, room, imported);
  }
}

/** A file that some README names by itself counts as a room of its own. */
function use(file, room, imported) {
  const isOurs = imported.endsWith('.ts');
  const { allowed, used, isFree } = rooms.get(room);
  const by = [imported, isOurs ? roomOf(imported) : packageOf(imported)].find((each) => allowed.has(each));
  if (by) used.add(by);
  else if (!isFree) problems.push(`${file} imports ${imported}: ${room}/README.md does not allow it`);
  if (!isOurs) return;
  const from = named.has(file) ? file : room;
  const to = named.has(imported) ? imported : roomOf(imported);
  if (!arrows.has(from)) arrows.set(from, new Set());
  arrows.get(from).add(to);
}

function packageOf(specifier) {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function findCircle() {
  const done = new Set();
  const path = [];
  const visit = (node) => {
    const at = path.indexOf(node);
    if (at >= 0) return [...path.slice(at), node];
    if (done.has(node)) return undefined;
    path.push(node);
    for (const next of arrows.get(node) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(node);
    return undefined;
  };
  for (const node of arrows.keys()) {
    const found = visit(node);
    if (found) return found;
  }
  return undefined;
}
