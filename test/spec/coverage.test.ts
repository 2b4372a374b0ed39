/**
 * Every sentence of a reference has an id in test/spec/<dialect>.json. Golden cases (with a field `proves`) and tests
 * (with a call of `proves`) name what they prove. A sentence that nothing proves fails here, and so does an unknown id.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sentenceFiles, sentenceIds } from './sentences.ts';

const proven = provenIds(dirname(import.meta.dirname));

describe('every sentence of every reference is proven by a test', () => {
  for (const { file, sentences } of sentenceFiles()) {
    it(file, () => {
      const ids = sentences.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.filter((id) => !proven.has(id))).toEqual([]);
    });
  }

  it('and no test names a sentence that is not in the list', () => {
    expect([...proven].filter((id) => !sentenceIds().has(id))).toEqual([]);
  });
});

function provenIds(folder: string): Set<string> {
  const ids = new Set<string>();
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith('.golden.json')) {
      const cases = JSON.parse(readFileSync(path, 'utf8')) as { proves?: string[] }[];
      for (const id of cases.flatMap(({ proves = [] }) => proves)) ids.add(id);
    } else if (entry.name.endsWith('.test.ts')) {
      for (const [, args] of readFileSync(path, 'utf8').matchAll(/\bproves\(([^)]*)\)/g)) {
        for (const [, id] of args!.matchAll(/'([^']+)'/g)) ids.add(id!);
      }
    }
  }
  return ids;
}
