/** The search of one engine, which is created when it is first used. */
import type { Dir } from '../confine/directory/dir.ts';
import type {
  Copies,
  CopyTarget,
  DirectoryFiles,
  ScanOptions,
  TreeScan,
  TreeScanner,
} from '../confine/scan/tree-scanner.ts';
import { Search } from './search.ts';

export class LazySearch implements TreeScanner {
  #search: Search | undefined;

  get search(): Search {
    this.#search ??= new Search();
    return this.#search;
  }

  scan(dir: Dir, options: ScanOptions): Promise<TreeScan> {
    return this.search.trees.scan(dir, options);
  }

  copy(dir: Dir, files: readonly DirectoryFiles[], target: CopyTarget): Promise<Copies[]> {
    return this.search.trees.copy(dir, files, target);
  }

  async close(): Promise<void> {
    await this.#search?.close();
  }
}
