/** Finds the encoding that is declared for a file, by the owner or by .editorconfig files in the served directories. */
import { dirname, join } from 'node:path';
import { provideConverter } from '../../charset/converter.ts';
import {
  type ConfigAbove,
  charsetByConfigs,
  type EncodingRule,
  GivenCharsets,
} from '../../charset/declared.ts';
import { type EditorConfig, LONGEST_CONFIG, parseEditorConfig } from '../../charset/editorconfig/parse.ts';
import type { Charset } from '../../charset/names.ts';
import type { CharsetScope } from '../../charset/scope.ts';
import { closing } from '../../confine/closing.ts';
import { readBytesSync } from '../../confine/content/read.ts';
import type { Dir } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { converterSource } from '../../confine/protect/own-package.ts';
import type { Root } from '../../confine/roots.ts';
import { rawOf } from '../../confine/scan/raw-names.ts';
import { STRAIGHT, type Wall } from '../../confine/wall.ts';
import { EngineFailure } from '../../failures.ts';

const CONFIG_NAME = '.editorconfig';
/** How many .editorconfig files are cached. */
const MOST_CONFIGS = 256;

interface ReadConfig {
  text: string;
  config: EditorConfig;
}

interface FoundConfig extends ReadConfig, ConfigAbove {
  directory: string;
}

export class DeclaredEncodings {
  /** Globs are raw: one character for each byte. */
  readonly #rules: readonly EncodingRule[];
  /** The given directories, which globs are relative to: raw, with all links resolved. */
  readonly #directories: readonly string[];
  readonly #given: GivenCharsets;
  /** Cached by the identity and the times of the file. */
  readonly #configs = new Map<string, ReadConfig>();

  constructor(rules: readonly EncodingRule[] = [], directories: readonly string[] = []) {
    this.#rules = rules.map(({ glob, charset }) => ({ glob: rawOf(glob), charset }));
    this.#directories = directories.map(rawOf);
    this.#given = new GivenCharsets(this.#rules, this.#directories);
    provideConverter(converterSource);
  }

  /** What is declared for a file behind the wall; the owner's rules come first. */
  of(wall: Wall, place: Pick<Place, 'path' | 'root'>): Charset | undefined {
    return this.#given.of(rawOf(place.path)) ?? charsetByConfigs(this.#configsAbove(wall, place), place.path);
  }

  /** What is declared for the files that a search of a directory, or of one file, finds. */
  scopeOf(wall: Wall, place: Place): CharsetScope {
    const isFile = place.lstat()?.type === 'file';
    const start = isFile ? dirname(place.path) : place.path;
    const above = this.#configsAbove(wall, { path: start, root: place.root });
    return {
      rules: this.#rules,
      directories: this.#directories,
      path: rawOf(start),
      above: above.map(({ directory, text }) => ({ directory, text })),
    };
  }

  /** The .editorconfig files from the directory of a file up to the served directory. */
  #configsAbove(wall: Wall, { path, root }: Pick<Place, 'path' | 'root'>): FoundConfig[] {
    const found: FoundConfig[] = [];
    visitDown(root, path, (dir, directory) => {
      const read = wall.withheld ? this.#servedConfigIn(wall, dir, directory) : this.#configIn(dir);
      if (read) found.push({ ...read, directory, below: directory === '/' ? 1 : directory.length + 1 });
    });
    return found.reverse();
  }

  /** The .editorconfig in a directory; one that cannot be read does not count. */
  #configIn(dir: Dir): ReadConfig | undefined {
    try {
      const stat = dir.lstat(CONFIG_NAME);
      if (stat?.type !== 'file') return undefined;
      const key = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
      return this.#configs.get(key) ?? this.#remember(key, textIn(dir));
    } catch {
      return undefined;
    }
  }

  /** The same if the owner withholds files: a withheld .editorconfig does not count either. */
  #servedConfigIn(wall: Wall, held: Dir, directory: string): ReadConfig | undefined {
    try {
      if (held.lstat(CONFIG_NAME) === undefined) return undefined;
      return wall.at(join(directory, CONFIG_NAME), STRAIGHT, ({ dir, name }) =>
        name === CONFIG_NAME ? this.#configIn(dir) : undefined,
      );
    } catch (error) {
      if (error instanceof EngineFailure) return undefined;
      throw error;
    }
  }

  #remember(key: string, text: string): ReadConfig {
    if (this.#configs.size >= MOST_CONFIGS) this.#configs.clear();
    const read = { text, config: parseEditorConfig(text) };
    this.#configs.set(key, read);
    return read;
  }
}

/** Calls `show` for every directory above `path`, from the root down, while it is held open. Follows no links. */
function visitDown({ dir: top, real }: Root, path: string, show: (dir: Dir, path: string) => void): void {
  let dir = top;
  let end = real === '/' ? 0 : real.length;
  try {
    while (end < path.length) {
      show(dir, path.slice(0, end) || '/');
      const next = path.indexOf('/', end + 1);
      if (next < 0) return;
      const inner = dir.enter(path.slice(end + 1, next));
      if (typeof inner === 'string' || 'linkTarget' in inner) return;
      if (dir !== top) dir.close();
      dir = inner;
      end = next;
    }
  } catch {
    // Nothing is read below a directory that cannot be entered.
  } finally {
    if (dir !== top) dir.close();
  }
}

function textIn(dir: Dir): string {
  return closing(dir.open(CONFIG_NAME), (file) => readBytesSync(file, LONGEST_CONFIG).toString('utf8'));
}
