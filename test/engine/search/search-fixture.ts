/** A search with its own tree, and with the worker bundled from the current sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wall } from '../../../src/engine/confine/wall.ts';
import type { GrepQuery, GrepResult, SearchCall } from '../../../src/engine/search/query.ts';
import { Search, type SearchSettings } from '../../../src/engine/search/search.ts';
import { bundle } from '../../built.ts';
import { layOut, type Tree, temporaryDirectory } from '../../tree.ts';

/** The bundled worker. */
export function builtWorker(): Promise<string> {
  return bundle('src/engine/search/workers/worker.ts', 'search-worker.cjs');
}

export interface Fixture {
  root: string;
  wall: Wall;
  search: Search;
  grep(query: Partial<GrepQuery> & { regex: string }, call?: SearchCall, path?: string): Promise<GrepResult>;
  /** `path:line:text` for matches, `path-line-text` for context. */
  lines(query: Partial<GrepQuery> & { regex: string }, path?: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface SiteOptions extends SearchSettings {
  protection?: 'strongest' | 'verified';
}

export async function fixture(tree: Tree, options: SiteOptions = {}): Promise<Fixture> {
  const { protection = 'strongest', ...rest } = options;
  const directory = temporaryDirectory();
  layOut(directory.path, tree);
  const wall = new Wall([{ path: directory.path, writable: true }], { readOnly: false, protection });
  const search = new Search({ workerFile: await builtWorker(), ...rest });
  const grep: Fixture['grep'] = (query, call = {}, path = directory.path) =>
    wall.at(path, {}, (place) => search.grep(place, { maxMatches: 100_000, ...query }, call));
  return {
    root: directory.path,
    wall,
    search,
    grep,
    lines: async (query, path) => shown(await grep(query, {}, path)),
    close: async () => {
      await search.close();
      wall.close();
      directory.remove();
    },
  };
}

export function shown(result: GrepResult): string[] {
  return result.files.flatMap(({ path, lines }) =>
    lines.map(({ number, text, match }) =>
      match ? `${path}:${number}:${text}` : `${path}-${number}-${text}`,
    ),
  );
}

/** What a search must find, computed in the simplest way: every file in byte order, every line by the RegExp itself. */
export function plainly(root: string, pattern: RegExp): string[] {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return paths.flatMap((path) => {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    const last = lines.pop()!;
    const whole = [...lines.map((line) => line.replace(/\r$/, '')), ...(last === '' ? [] : [last])];
    return whole.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}:${line}`] : []));
  });
}
