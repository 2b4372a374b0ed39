import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EngineFailure, type Failure } from '../../../../src/engine/failures.ts';
import { applyPatch } from '../../../../src/engine/text/patch/apply.ts';
import { parsePatch } from '../../../../src/engine/text/patch/parse/parse.ts';

const scenarios = join(import.meta.dirname, '../../../scenarios/patch');
const folders = readdirSync(scenarios, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();

function fileIn(folder: string, name: string): Buffer | undefined {
  const path = join(scenarios, folder, name);
  return existsSync(path) ? readFileSync(path) : undefined;
}

function outcomeOf(folder: string): { text: string } | { deleted: true } | { failure: Failure } {
  const bytes = fileIn(folder, 'input.txt');
  try {
    const parsed = parsePatch(fileIn(folder, 'patch.diff')!.toString('utf8'));
    return applyPatch(parsed, bytes?.toString('utf8'), 'input.txt');
  } catch (error) {
    if (error instanceof EngineFailure) return { failure: error.facts };
    throw error;
  }
}

describe('the patch scenarios', () => {
  it('are many', () => {
    expect(folders.length).toBeGreaterThanOrEqual(100);
  });

  it.each(folders)('give the expected result: %s', (folder) => {
    const outcome = outcomeOf(folder);
    const error = fileIn(folder, 'expected-error.json');
    const text = fileIn(folder, 'expected.txt');
    if (error !== undefined) expect(outcome).toMatchObject({ failure: JSON.parse(error.toString('utf8')) });
    else if (text !== undefined) expect(outcome).toEqual({ text: text.toString('utf8') });
    else {
      expect(fileIn(folder, 'expected-deleted'), 'what is expected').toBeDefined();
      expect(outcome).toEqual({ deleted: true });
    }
  });
});
