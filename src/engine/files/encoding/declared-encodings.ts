/** Which encodings are declared for files: by the owner, or by .editorconfig files in the served directories. */
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
import { readBytesSync } from '../../confine/content/read.ts';
import type { Dir } from '../../confine/directory/dir.ts';
import type { Place } from '../../confine/place.ts';
import { converterSource } from '../../confine/protect/own-package.ts';
import type { Root } from '../../confine/roots.ts';
import { rawOf } from '../../confine/scan/raw-names.ts';
import type { Wall } from '../../confine/wall.ts';
import { EngineFailure } from '../../failures.ts';

const CONFIG_NAME = '.editorconfig';
/** How many files are remembered as they were read. */
const MOST_CONFIGS = 256;

interface ReadConfig {
  text: string;
  config: EditorConfig;
}

interface FoundConfig extends ReadConfig, ConfigAbove {
  directory: string;
}

export class DeclaredEncodings {
  /** Globs in bytes, one character for each. */
  readonly #rules: readonly EncodingRule[];
  /** The given directories, from which globs count: raw, with all links resolved. */
  readonly #directories: readonly string[];
  readonly #given: GivenCharsets;
  /** By the identity and the times of the file. */
  readonly #configs = new Map<string, ReadConfig>();

  constructor(rules: readonly EncodingRule[] = [], directories: readonly string[] = []) {
    this.#rules = rules.map(({ glob, charset }) => ({ glob: rawOf(glob), charset }));
    this.#directories = directories.map(rawOf);
    this.#given = new GivenCharsets(this.#rules, this.#directories);
    provideConverter(converterSource);
  }

  /** For a file behind the wall; the owner's word comes first. */
  of(wall: Wall, place: Pick<Place, 'path' | 'root'>): Charset | undefined {
    return this.#given.of(rawOf(place.path)) ?? charsetByConfigs(this.#above(wall, place), place.path);
  }

  /** What is declared for the files that a search meets: in a directory, or for one file. */
  scopeOf(wall: Wall, place: Place): CharsetScope {
    const isFile = place.lstat()?.type === 'file';
    const start = isFile ? dirname(place.path) : place.path;
    const above = this.#above(wall, { path: start, root: place.root });
    return {
      rules: this.#rules,
      directories: this.#directories,
      path: rawOf(start),
      above: above.map(({ directory, text }) => ({ directory, text })),
    };
  }

  /** From the directory of the file up to the one that is served. */
  #above(wall: Wall, { path, root }: Pick<Place, 'path' | 'root'>): FoundConfig[] {
    const found: FoundConfig[] = [];
    visitDown(root, path, (dir, directory) => {
      const read = wall.withheld ? this.#served(wall, dir, directory) : this.#in(dir);
      if (read) found.push({ ...read, directory, below: directory === '/' ? 1 : directory.length + 1 });
    });
    return found.reverse();
  }

  /** What cannot be read says nothing. */
  #in(dir: Dir): ReadConfig | undefined {
    try {
      const stat = dir.lstat(CONFIG_NAME);
      if (stat?.type !== 'file') return undefined;
      const key = [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(':');
      return this.#configs.get(key) ?? this.#remember(key, textIn(dir));
    } catch {
      return undefined;
    }
  }

  /** The same where the owner withholds files: what is withheld says nothing either. */
  #served(wall: Wall, held: Dir, directory: string): ReadConfig | undefined {
    try {
      if (held.lstat(CONFIG_NAME) === undefined) return undefined;
      return wall.at(join(directory, CONFIG_NAME), { straight: true, follow: false }, ({ dir, name }) =>
        name === CONFIG_NAME ? this.#in(dir) : undefined,
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

/** Shows every directory above `path`, from the root down, each held for that moment. No link is followed. */
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
    // Below what cannot be entered nothing is read.
  } finally {
    if (dir !== top) dir.close();
  }
}

function textIn(dir: Dir): string {
  const file = dir.open(CONFIG_NAME);
  try {
    return readBytesSync(file, LONGEST_CONFIG).toString('utf8');
  } finally {
    file.close();
  }
}
