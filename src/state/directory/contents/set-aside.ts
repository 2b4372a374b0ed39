/** Files and trees that are moved or linked into the state directory unchanged. */
import { randomBytes } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { type HashedFile, hashedFilesAt } from '../../../engine/confine/content/hashed-files.ts';
import type { Dir, OpenFile, Stat } from '../../../engine/confine/directory/dir.ts';
import { chooseOpener } from '../../../engine/confine/protection.ts';
import { rawOf } from '../../../engine/confine/scan/raw-names.ts';
import type { SetAside, WholeTrees } from '../../contents.ts';
import { takeOut } from './erase.ts';
import { linkAside } from './link-aside.ts';
import type { StateFolders } from './state-folders.ts';
import { removeTree, sizeOnDisk } from './whole-tree.ts';

const NAME = /^[0-9a-f]{20}$/;

export class SetAsideTrees implements WholeTrees {
  readonly added: (bytes: number) => void;
  readonly #folders: StateFolders;
  #dir: Dir | undefined;

  constructor(folders: StateFolders, onAdded: (bytes: number) => void) {
    this.#folders = folders;
    this.added = onAdded;
  }

  newPlace(): SetAside {
    return { dir: this.#held(), name: randomBytes(10).toString('hex') };
  }

  placeOf(name: string): SetAside {
    if (!NAME.test(name)) throw new Error(`not a name of something set aside: ${name}`);
    return { dir: this.#held(), name };
  }

  statOf(name: string): Stat | undefined {
    return fs.existsSync(this.#folders.pathOf('aside')) ? this.placeOf(name).dir.lstat(name) : undefined;
  }

  isOnDevice(dev: bigint): boolean {
    return this.#held().stat().dev === dev;
  }

  link(file: OpenFile, at: { dir: Dir; name: string | Buffer }, aside: SetAside): boolean {
    const linked = linkAside(file, at, aside, join(this.#folders.pathOf('aside'), aside.name));
    if (linked) this.added(file.stat.size);
    return linked;
  }

  *filesOf(name: string, path = ''): Generator<HashedFile> {
    const top = rawOf(join(this.#folders.pathOf('aside'), name));
    for (const file of hashedFilesAt(path === '' ? top : `${top}/${rawOf(path)}`)) {
      yield { ...file, path: file.path.slice(top.length + 1) };
    }
  }

  sizeInside(name: string, path: string): number | undefined {
    const inside = this.#straightPath(name, path);
    return inside === undefined ? undefined : sizeOnDisk(inside);
  }

  eraseInside(name: string, path: string): void {
    const inside = this.#straightPath(name, path);
    const taken = inside && takeOut(this.#folders.directory, inside);
    if (taken) removeTree(taken);
  }

  close(): void {
    this.#dir?.close();
    this.#dir = undefined;
  }

  #held(): Dir {
    if (this.#dir?.fd !== undefined && fs.fstatSync(this.#dir.fd).nlink === 0) {
      this.close();
      this.#folders.forget();
    }
    this.#dir ??= chooseOpener().hold(fs.realpathSync(this.#folders.make('aside')));
    return this.#dir;
  }

  /** Undefined when nothing is there, or when a link is on the path. */
  #straightPath(name: string, path: string): string | undefined {
    if (!NAME.test(name)) return undefined;
    let at = join(this.#folders.pathOf('aside'), name);
    for (const part of path.split('/')) {
      if (!fs.lstatSync(at, { throwIfNoEntry: false })?.isDirectory()) return undefined;
      at = join(at, part);
    }
    return fs.lstatSync(at, { throwIfNoEntry: false }) && at;
  }
}
