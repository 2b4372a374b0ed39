/** Runs two servers side by side, each on its own copy of the same tree. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { RawClient, type WireClient } from '../../client.ts';
import { InProcessClient } from '../../in-process.ts';
import { type Described, layOut, readBack, type Tree, temporaryDirectory } from '../../tree.ts';
import type { Call } from './drop-in-calls.ts';

export interface Answer {
  text: string;
  isError: boolean;
  /** Everything on disk afterwards, the outside included. Only for tools that change something. */
  disk: Tree | undefined;
}

const CHANGING = ['write_file', 'edit_file', 'create_directory', 'move_file'];

export class Side {
  readonly #root: string;
  readonly #client: WireClient & { end(): Promise<unknown> };
  readonly #remove: () => void;
  #tree: Tree = {};
  #before: Tree = {};

  private constructor(root: string, client: WireClient & { end(): Promise<unknown> }, remove: () => void) {
    this.#root = root;
    this.#client = client;
    this.#remove = remove;
  }

  static async start(server: 'ours' | 'official'): Promise<Side> {
    const temporary = temporaryDirectory();
    const root = join(temporary.path, 'root');
    layOut(root, { './': '' });
    const client =
      server === 'ours'
        ? await InProcessClient.start(['--dialect', 'standard', '--no-journal', root])
        : await RawClient.start([root], process.env, officialProgram());
    return new Side(root, client, temporary.remove);
  }

  /** Lays out the tree that every changing call starts from. */
  layOut(tree: Tree): void {
    this.#tree = tree;
    for (const name of readdirSync(this.#root)) rmSync(join(this.#root, name), { recursive: true });
    rmSync(join(this.#root, '../outside'), { recursive: true, force: true });
    layOut(this.#root, tree);
    this.#before = this.#readBack();
  }

  async call({ tool, args }: Call): Promise<Answer> {
    const filled = JSON.parse(JSON.stringify(args).replaceAll('{ROOT}', this.#root)) as unknown;
    const { result, error } = await this.#client.call(tool, filled);
    const content = result?.content ?? [{ type: 'text', text: JSON.stringify(error) }];
    const text = content.map((item) => item.text ?? JSON.stringify(item)).join('\n');
    const disk = CHANGING.includes(tool) ? this.#readBack() : undefined;
    if (disk) this.#restore(disk);
    return {
      text: this.#normal(text),
      isError: result?.isError ?? error !== undefined,
      disk: this.#normal(disk),
    };
  }

  /** Everything on disk, with the permissions of files that have unusual ones. */
  #readBack(): Tree {
    const modes = ['script.sh', 'private.txt']
      .filter((name) => existsSync(join(this.#root, name)))
      .map((name) => [`mode of ${name}`, (statSync(join(this.#root, name)).mode & 0o777).toString(8)]);
    return { ...readBack(dirname(this.#root)), ...Object.fromEntries(modes) };
  }

  /** Lays out again the entries of the directory in which something has changed. */
  #restore(disk: Tree): void {
    const paths = [...Object.keys(disk), ...Object.keys(this.#before)];
    const changed = paths.filter((path) => JSON.stringify(disk[path]) !== JSON.stringify(this.#before[path]));
    const names = new Set(changed.map((path) => path.split('/')[1] ?? path.replace('mode of ', '')));
    for (const name of names) rmSync(join(this.#root, name), { recursive: true, force: true });
    const isChanged = ([path]: [string, Described]) => names.has(path.split('/')[0]!);
    layOut(this.#root, Object.fromEntries(Object.entries(this.#tree).filter(isChanged)));
  }

  /** The value without the name of the directory and without times. */
  #normal<T>(value: T): T {
    if (value === undefined) return value;
    const text = JSON.stringify(value)
      .replaceAll(this.#root, '{ROOT}')
      .replaceAll(dirname(this.#root), '{BESIDE}')
      .replace(/(created|modified|accessed): [A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} [^\\"]*/g, '$1: TIME');
    return JSON.parse(text) as T;
  }

  /** The list of tools, exactly as sent. */
  async tools(): Promise<string> {
    return JSON.stringify((await this.#client.request('tools/list')).result);
  }

  async end(): Promise<void> {
    await this.#client.end();
    this.#remove();
  }
}

function officialProgram(): string {
  const manifest = createRequire(import.meta.url).resolve(
    '@modelcontextprotocol/server-filesystem/package.json',
  );
  return join(dirname(manifest), 'dist/index.js');
}
