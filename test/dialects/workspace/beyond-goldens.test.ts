/** What golden files cannot show: big contents, modes, hard links, cancelled and simultaneous calls. */
import { linkSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { callTool } from '../../../src/dialects/call.ts';
import { workspace } from '../../../src/dialects/workspace/index.ts';
import { anonymous } from '../../../src/engine/index.ts';
import { engineFixture } from '../../engine-fixture.ts';
import { proves } from '../../proves.ts';
import { layOut, readBack } from '../../tree.ts';

const MIB = 1024 * 1024;

const here = engineFixture();

interface Envelope {
  ok: boolean;
  data?: Record<string, unknown>;
  error?: { code: string; message: string; details: Record<string, unknown> };
}

async function call(name: string, args: unknown, signal = new AbortController().signal): Promise<Envelope> {
  const tool = workspace.tools.find((each) => each.name === name)!;
  const context = {
    engine: here.engine,
    caller: anonymous,
    session: {},
    signal,
    home: '/',
    settings: {},
    progress: () => {},
  };
  const outcome = await callTool(workspace, tool, args, context);
  if (!('result' in outcome) || outcome.result.content[0]?.type !== 'text')
    throw new Error('not an envelope');
  const envelope = JSON.parse(outcome.result.content[0].text) as Envelope;
  expect(outcome.result.isError ?? false).toBe(!envelope.ok);
  expect(outcome.result.structuredContent).toBeUndefined();
  return envelope;
}

function onDisk(file: string): string {
  return readFileSync(join(here.path, file), 'utf8');
}

describe('write_file', () => {
  it('accepts 1 MiB and not one byte more', async () => {
    proves('workspace.write_file.limit', 'workspace.decided.ceiling');
    expect(await call('write_file', { file: 'fits.txt', content: 'x'.repeat(MIB) })).toEqual({
      ok: true,
      data: { file: 'fits.txt', bytesWritten: MIB },
    });
    const refused = await call('write_file', { file: 'new/big.txt', content: 'x'.repeat(MIB + 1) });
    expect(refused.error).toEqual({
      code: 'FILE_TOO_LARGE',
      message: 'new/big.txt would have 1048577 bytes, the limit is 1048576; nothing was written',
      details: { path: 'new/big.txt', size: MIB + 1, limit: MIB },
    });
    expect(Object.keys(readBack(here.path))).toEqual(['fits.txt']);
  });

  it('counts UTF-8 bytes, not characters', async () => {
    proves('workspace.write_file.error.too-large', 'workspace.decided.utf8-bytes');
    const half = MIB / 2;
    expect((await call('write_file', { file: 'a.txt', content: 'é'.repeat(half) })).data).toEqual({
      file: 'a.txt',
      bytesWritten: MIB,
    });
    const refused = await call('write_file', { file: 'a.txt', content: 'é'.repeat(half + 1) });
    expect(refused.error?.code).toBe('FILE_TOO_LARGE');
    expect(onDisk('a.txt')).toBe('é'.repeat(half));
  });

  it('reports a wrong path before a content that is too large', async () => {
    const refused = await call('write_file', { file: '../x', content: 'x'.repeat(MIB + 1) });
    expect(refused.error?.code).toBe('INVALID_PATH');
  });

  it('keeps the mode of the file that it replaces, and leaves no other file', async () => {
    proves('workspace.all.atomic');
    layOut(here.path, { 'run.sh': { text: 'old', mode: '755' } });
    await call('write_file', { file: 'run.sh', content: 'new' });
    expect(statSync(join(here.path, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(readBack(here.path)).toEqual({ 'run.sh': 'new' });
  });
});

describe('edit_file', () => {
  it('refuses a result that would be larger than 1 MiB, before it writes', async () => {
    proves('workspace.edit_file.ceiling', 'workspace.edit_file.error.too-large');
    layOut(here.path, { 'a.txt': { repeat: 'x', times: MIB } });
    const refused = await call('edit_file', { file: 'a.txt', find: 'x', replace: 'é' });
    expect(refused.error).toEqual({
      code: 'FILE_TOO_LARGE',
      message: 'a.txt would have 1048577 bytes, the limit is 1048576; nothing was written',
      details: { path: 'a.txt', size: MIB + 1, limit: MIB },
    });
    expect(onDisk('a.txt')).toBe('x'.repeat(MIB));
    expect((await call('edit_file', { file: 'a.txt', find: 'x', replace: 'y' })).ok).toBe(true);
  });

  it('may shrink a file that is too large, but not leave it too large', async () => {
    proves('workspace.decided.ceiling');
    layOut(here.path, {
      'large.txt': `${'x'.repeat(MIB)}${'-'.repeat(100)}`,
      'larger.txt': `${'x'.repeat(MIB)}yz`,
    });
    expect((await call('edit_file', { file: 'large.txt', find: '-'.repeat(100), replace: '' })).data).toEqual(
      {
        file: 'large.txt',
        replacements: 1,
      },
    );
    expect(onDisk('large.txt')).toBe('x'.repeat(MIB));
    const refused = await call('edit_file', { file: 'larger.txt', find: 'y', replace: '' });
    expect(refused.error?.code).toBe('FILE_TOO_LARGE');
    expect(onDisk('larger.txt')).toBe(`${'x'.repeat(MIB)}yz`);
  });

  it('replaces very many occurrences in one call', async () => {
    proves('workspace.edit_file.replace-all');
    layOut(here.path, { 'a.txt': { repeat: 'ab', times: 100_000 } });
    const edited = await call('edit_file', {
      file: 'a.txt',
      find: 'a',
      replace: 'c',
      replaceAll: true,
      expectedOccurrences: 100_000,
    });
    expect(edited.data).toEqual({ file: 'a.txt', replacements: 100_000 });
    expect(onDisk('a.txt')).toBe('cb'.repeat(100_000));
  });

  it('loses none of many simultaneous edits', async () => {
    const names = Array.from({ length: 32 }, (_, i) => `<${i}>`);
    layOut(here.path, { 'a.txt': names.join('\n') });
    const answers = await Promise.all(
      names.map((name) => call('edit_file', { file: 'a.txt', find: name, replace: `done ${name}` })),
    );
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(onDisk('a.txt')).toBe(names.map((name) => `done ${name}`).join('\n'));
  });
});

describe('move_file', () => {
  it('moves one name of a file over another name of the same file', async () => {
    layOut(here.path, { 'a.txt': 'a' });
    linkSync(join(here.path, 'a.txt'), join(here.path, 'b.txt'));
    expect((await call('move_file', { from: 'a.txt', to: 'b.txt', overwrite: true })).data).toEqual({
      from: 'a.txt',
      to: 'b.txt',
      overwritten: true,
    });
    expect(readBack(here.path)).toEqual({ 'b.txt': 'a' });
  });
});

describe('a call that cannot be carried out', () => {
  it('is an internal error if no other code fits', async () => {
    proves('workspace.code.INTERNAL_ERROR');
    const aborting = new AbortController();
    aborting.abort();
    const cancelled = await call('write_file', { file: 'a.txt', content: 'a' }, aborting.signal);
    expect(cancelled).toEqual({
      ok: false,
      error: { code: 'INTERNAL_ERROR', message: 'The call was cancelled', details: { reason: 'cancelled' } },
    });
    expect(readBack(here.path)).toEqual({});
  });

  it('is a validation error if its arguments are not an object', async () => {
    for (const args of [null, 'a.txt', ['a.txt'], 7]) {
      const refused = await call('read_file', args);
      expect(refused.error?.code).toBe('VALIDATION_ERROR');
    }
  });
});
