/** Undo from the program's page when something goes wrong: a stored content is damaged, or another undo came first. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { EntryDetails, PageEvent } from '../../../src/page/wire.ts';
import { program } from '../../client.ts';
import { readBack } from '../../tree.ts';
import { ask } from '../http-fixture.ts';
import { callOver, ProgramFixture, TOKEN } from './program-fixture.ts';

/** A device other than that of temporary directories: there, the journal must copy a large file to keep it. */
const OTHER = '/dev/shm';
const hasOther = existsSync(OTHER) && statSync(OTHER).dev !== statSync(tmpdir()).dev;
const LARGE = 'a large file\n'.repeat(400_000);

let fixture: ProgramFixture;
afterEach(() => fixture.end());

const authorization = `Bearer ${TOKEN}`;

/** The entry of the call that the page shows. */
async function entryOn(port: number): Promise<string> {
  const answer = await ask({ port, path: '/page/events', headers: { authorization } });
  const [event] = answer.text.split('\n').flatMap((line) => (line ? [JSON.parse(line) as PageEvent] : []));
  return event!.entries![0]!;
}

async function detailsOf(port: number, id: string): Promise<EntryDetails> {
  const answer = await ask({ port, path: `/page/entries/${id}`, headers: { authorization } });
  return JSON.parse(answer.text) as EntryDetails;
}

async function undo(port: number, id: string) {
  const headers = { authorization, 'content-type': 'application/json' };
  const path = `/page/entries/${id}/undo`;
  const answer = await ask({ port, path, method: 'POST', headers, body: '{"force":false}' });
  return { status: answer.status, answer: JSON.parse(answer.text) };
}

describe.runIf(hasOther)('an undo of two files that finds the content of the second one damaged', () => {
  it('says so, leaves the second file alone, and continues from there once the content is restored', async () => {
    fixture = new ProgramFixture({ 'a.txt': 'two\n', 'b.txt': `two\n${LARGE}` }, { stateUnder: OTHER });
    const before = readBack(fixture.root);
    const port = await fixture.serve();
    const edits = [{ oldText: 'two\n', newText: 'TWO\n' }];
    const edited = await callOver(port, 'edit_files', { paths: ['a.txt', 'b.txt'], edits });
    expect(edited.json.error).toBeUndefined();
    const id = await entryOn(port);

    const stored = largestIn(join(fixture.state, 'store'));
    const whole = readFileSync(stored);
    truncateSync(stored, whole.length - 1);
    const failed = await undo(port, id);
    expect(failed).toMatchObject({
      status: 409,
      answer: { error: { message: expect.stringContaining(join(fixture.root, 'b.txt')) } },
    });
    expect(readBack(fixture.root)).toEqual({ 'a.txt': 'two\n', 'b.txt': `TWO\n${LARGE}` });
    expect((await detailsOf(port, id)).entry.state).toBe('pending');

    writeFileSync(stored, whole);
    expect(await undo(port, id)).toMatchObject({ status: 200, answer: { done: true } });
    expect(readBack(fixture.root)).toEqual(before);
    expect((await detailsOf(port, id)).entry.state).toBe('undone');
  });
});

describe('an undo of an entry that the command line has undone in the meantime', () => {
  it('says that it was already undone, and touches nothing', async () => {
    fixture = new ProgramFixture({ 'a.txt': 'one\n' });
    const port = await fixture.serve();
    await callOver(port, 'write_file', { path: 'a.txt', content: 'two\n' });
    const id = await entryOn(port);
    expect((await detailsOf(port, id)).plan!.obstacles).toEqual([]);

    const { status } = spawnSync(process.execPath, [program, 'undo', id, '--state', fixture.state]);
    expect(status).toBe(0);
    writeFileSync(join(fixture.root, 'a.txt'), 'three\n');
    const late = await undo(port, id);
    expect(late).toMatchObject({
      status: 409,
      answer: { error: { message: 'This has been undone already' } },
    });
    expect(readBack(fixture.root)).toEqual({ 'a.txt': 'three\n' });
    expect((await detailsOf(port, id)).entry.state).toBe('undone');
  });
});

function largestIn(directory: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => join(directory, name)).filter((path) => statSync(path).isFile());
  return files.sort((a, b) => statSync(b).size - statSync(a).size)[0]!;
}
