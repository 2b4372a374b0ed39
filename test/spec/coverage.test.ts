/**
 * Every sentence of a reference has an id in test/spec/<dialect>.json; goldens (`proves`) and tests (`[id]`
 * in a title) name what they prove. What nothing proves shows here, and so does an id that nobody wrote down.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

interface Sentence {
  id: string;
  /** What the reference says there, in our own words. */
  says: string;
}

const here = dirname(fileURLToPath(import.meta.url));
const manifests = readdirSync(here).filter((name) => name.endsWith('.json'));
const proven = collectProofs(dirname(here));

describe('every sentence of every reference is proven by a test', () => {
  for (const file of manifests) {
    const sentences = JSON.parse(readFileSync(join(here, file), 'utf8')) as Sentence[];
    it(file, () => {
      const ids = sentences.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => !proven.has(id))).toEqual([]);
    });
  }

  it('no test names a sentence that is not written down', () => {
    const known = new Set(
      manifests.flatMap((file) =>
        (JSON.parse(readFileSync(join(here, file), 'utf8')) as Sentence[]).map(({ id }) => id),
      ),
    );
    expect([...proven].filter((id) => !known.has(id))).toEqual([]);
  });
});

function collectProofs(folder: string): Set<string> {
  const ids = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith('.golden.json')) {
      const cases = JSON.parse(readFileSync(path, 'utf8')) as { proves?: string[] }[];
      for (const id of cases.flatMap(({ proves = [] }) => proves)) ids.add(id);
    } else if (entry.name.endsWith('.test.ts')) {
      const named = readFileSync(path, 'utf8').matchAll(
        /\[((?:all|replay|patch|workspace|fileeditor|repo)\.[\w.-]+)\]/g,
      );
      for (const [, id] of named) ids.add(id!);
    }
  }
  return ids;
}
