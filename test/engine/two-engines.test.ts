/** Engines in one process do not share rules, although they may remember the same directories. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Engine } from '../../src/engine/index.ts';

/** The engine remembers only directories that did not change for a moment, so this one is in the repository. */
const root = fileURLToPath(new URL('../../src/display', import.meta.url));
const [COLOUR, GROUPED] = ['colour.ts', 'grouped.ts'] as const;

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

function hiding(name: string): Engine {
  const engine = new Engine({ roots: [{ path: root, writable: false }], hide: [name] });
  engines.push(engine);
  return engine;
}

/** Which of the two files each operation shows. */
async function shownBy(engine: Engine): Promise<Record<string, string[]>> {
  const { children = [] } = await engine.files.tree(root);
  const listed = await engine.files.list(root);
  const { entries } = await engine.search.walk(root, {});
  const { files } = await engine.search.filePage(root, { max: 100 });
  const among = (names: readonly string[]) =>
    [COLOUR, GROUPED].filter((name) => names.some((each) => each.endsWith(name)));
  return {
    tree: among(children.map(({ name }) => name)),
    list: among(listed.map(({ name }) => name)),
    walk: among(entries.map(({ path }) => path)),
    page: among(files),
  };
}

test('two engines that hide different files each keep to their own rules', async () => {
  const [one, other] = [hiding(COLOUR), hiding(GROUPED)];
  const only = (name: string) => ({ tree: [name], list: [name], walk: [name], page: [name] });
  for (const _ of [1, 2]) {
    expect(await shownBy(one)).toEqual(only(GROUPED));
    expect(await shownBy(other)).toEqual(only(COLOUR));
  }
});
