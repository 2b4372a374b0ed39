/** Answers `resources/list`: the files that are not ignored, sorted by path, one page at a time. */
import { type Engine, fileMimeType, isWithin, type RootInfo } from '../../../engine/index.ts';
import { uriOf } from './file-uri.ts';
import { BadParams, pathBelow, type ResourceCall } from './resource-call.ts';

const PAGE_SIZE = 100;

/** Where the next page begins: after this file of this directory. */
interface Position {
  directory: string;
  after: string | undefined;
}

interface Resource {
  uri: string;
  name: string;
  mimeType?: string;
}

export async function listResources({ engine, params, signal }: ResourceCall): Promise<object> {
  const roots = eachOnce(engine);
  const start = positionOf(params.cursor, roots);
  const resources: Resource[] = [];
  let at = roots.findIndex(({ path }) => path === start.directory);
  let { after } = start;
  for (; at < roots.length && resources.length < PAGE_SIZE; at++) {
    const root = roots[at]!;
    const without = nestedIn(root, roots);
    const max = PAGE_SIZE - resources.length;
    const { files, more } = await engine.search.filePage(root.path, { after, max, without, signal });
    for (const file of files) resources.push(resource(root, file));
    if (more) return { resources, nextCursor: cursorOf({ directory: root.path, after: files.at(-1) }) };
    after = undefined;
  }
  const next = roots[at];
  return { resources, ...(next && { nextCursor: cursorOf({ directory: next.path, after: undefined }) }) };
}

function resource({ path }: RootInfo, file: string): Resource {
  const mimeType = fileMimeType(file);
  return { uri: uriOf(pathBelow(path, file)), name: file, ...(mimeType !== undefined && { mimeType }) };
}

/** The roots without repetitions: the operator may name a directory twice. */
function eachOnce({ roots }: Engine): RootInfo[] {
  return roots.filter(({ real }, index) => roots.findIndex((root) => root.real === real) === index);
}

/** The roots inside this one, which are listed separately. */
function nestedIn({ real }: RootInfo, roots: readonly RootInfo[]): string[] {
  return roots
    .filter((root) => root.real !== real && isWithin(root.real, real))
    .map((root) => root.real.slice(pathBelow(real, '').length));
}

function cursorOf({ directory, after = '' }: Position): string {
  return Buffer.from(JSON.stringify([directory, after])).toString('base64url');
}

function positionOf(cursor: unknown, roots: readonly RootInfo[]): Position {
  if (cursor === undefined) return { directory: roots[0]!.path, after: undefined };
  if (typeof cursor !== 'string') throw new BadParams('cursor must be a string');
  try {
    const [directory, after] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string];
    if (typeof after === 'string' && roots.some(({ path }) => path === directory))
      return { directory, after: after || undefined };
  } catch {
    // Reported below, like any other cursor that is not ours.
  }
  throw new BadParams('this cursor did not come from resources/list, or its directory is no longer served');
}
