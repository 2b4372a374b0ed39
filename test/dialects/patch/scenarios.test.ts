/** Runs every patch scenario through the tool, and compares the answer and the disk, byte for byte. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callTool } from '../../../src/dialects/call.ts';
import type { ToolResult } from '../../../src/dialects/dialect.ts';
import { patch } from '../../../src/dialects/patch/index.ts';
import { anonymous, Engine } from '../../../src/engine/index.ts';
import { temporaryDirectory } from '../../tree.ts';

const scenarios = join(import.meta.dirname, '../../scenarios/patch');
const folders = readdirSync(scenarios, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort();
const CODES: Record<string, string> = {
  'bad-patch': 'PatchFailed: malformed diff, line ',
  'hunk-mismatch': 'PatchFailed: hunk ',
  'not-found': 'NotFound: ',
};

let temporary: ReturnType<typeof temporaryDirectory>;
let engine: Engine;

beforeAll(() => {
  temporary = temporaryDirectory();
  engine = new Engine({ roots: [{ path: temporary.path, writable: true }] });
});

afterAll(async () => {
  await engine.close();
  temporary.remove();
});

function fileIn(folder: string, name: string): Buffer | undefined {
  const path = join(scenarios, folder, name);
  return existsSync(path) ? readFileSync(path) : undefined;
}

async function apply(path: string, text: string): Promise<ToolResult> {
  const tool = patch.tools.find(({ name }) => name === 'patch_apply')!;
  const outcome = await callTool(
    patch,
    tool,
    { path, patch: text },
    {
      engine,
      caller: anonymous,
      session: {},
      signal: new AbortController().signal,
      home: '/',
      settings: {},
      progress: () => {},
    },
  );
  if ('error' in outcome) throw new Error(outcome.error.message);
  return outcome.result;
}

describe('patch_apply', () => {
  it.each(folders)('%s', async (folder) => {
    const path = join(temporary.path, `${folder}.txt`);
    const input = fileIn(folder, 'input.txt');
    if (input) writeFileSync(path, input);
    const answer = await apply(path, fileIn(folder, 'patch.diff')!.toString('utf8'));
    const { text } = answer.content[0] as { text: string };
    const afterwards = existsSync(path) ? readFileSync(path) : undefined;
    const error = fileIn(folder, 'expected-error.json');
    if (error !== undefined) {
      const { kind, hunk } = JSON.parse(error.toString('utf8')) as { kind: string; hunk?: number };
      expect(answer.isError).toBe(true);
      expect(text.startsWith(hunk === 0 ? 'PatchFailed: the patch deletes' : CODES[kind]!), text).toBe(true);
      expect(afterwards).toEqual(input);
      return;
    }
    expect(answer.isError, text).toBeUndefined();
    expect(text).toMatch(/^(?:Patched|Created|Deleted) .* \(\d+ hunks?\)$/);
    expect(afterwards).toEqual(fileIn(folder, 'expected.txt'));
    expect(text.startsWith('Deleted')).toBe(afterwards === undefined);
  });
});
