/** A log in files: readers get complete lines only, whatever happened to the file. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DirectoryLog } from '../../../src/state/directory/log/directory-log.ts';
import { temporaryDirectory } from '../../tree.ts';
import { type Numbered, numbered } from '../contract/numbered.ts';

let directory: { path: string; remove(): void };
let at: string;
let log: DirectoryLog<Numbered>;
beforeEach(() => {
  directory = temporaryDirectory();
  at = join(directory.path, 'journal');
  log = new DirectoryLog(at, numbered);
});
afterEach(() => {
  vi.useRealTimers();
  log.close();
  directory.remove();
});

async function records(): Promise<Numbered[]> {
  const read: Numbered[] = [];
  await log.reader({ take: (record) => read.push(record), restart: () => {} }).catchUp();
  return read;
}

const numbers = async () => (await records()).map(({ n }) => n);
const only = () => join(at, readdirSync(at)[0]!);

describe('a line', async () => {
  test('is skipped if it was truncated at any byte, and the next line is complete', async () => {
    log.append({ n: 1 });
    log.append({ n: 2, text: 'äöü' });
    const whole = readFileSync(only());
    const length = whole.length - whole.indexOf('\n', whole.indexOf('"n":1'));
    for (let cut = 1; cut < length - 1; cut++) {
      writeFileSync(only(), whole.subarray(0, whole.length - cut));
      expect(await numbers()).toEqual([1]);
      const another = new DirectoryLog(at, numbered);
      another.append({ n: 3 });
      another.close();
      // If only the line break is missing, the next writer adds it.
      expect(await numbers()).toEqual(cut === 1 ? [1, 2, 3] : [1, 3]);
    }
  });

  test.each([
    ['garbage', '\u0000\u0001garbage\n\nmore garbage without an end'],
    ['a record with a wrong checksum', '\n0123456789ab {"n":9}\n'],
    ['a record without a checksum', '\n{"n":9}\n'],
    ['a checksum and nothing else', '\n0123456789ab \n'],
    ['a carriage return', '\r\n'],
    ['half a character', Buffer.from([10, 0xc3, 10])],
  ])('is skipped if it is %s, and the lines around it are not', async (_, garbage) => {
    log.append({ n: 1 });
    appendFileSync(only(), garbage);
    log.append({ n: 2 });
    expect(await numbers()).toEqual([1, 2]);
  });

  test('is skipped if one bit was changed', async () => {
    for (const n of [1, 2, 3]) log.append({ n });
    const bytes = readFileSync(only());
    const at = bytes.indexOf('"n":2') + 4;
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(only(), bytes);
    expect(await numbers()).toEqual([1, 3]);
  });

  test('may be longer than the blocks in which the file is read', async () => {
    const text = 'long '.repeat(2_000_000);
    log.append({ n: 1, text });
    log.append({ n: 2 });
    const [first, second] = await records();
    expect(first!.text === text).toBe(true);
    expect(second).toEqual({ n: 2 });
  });
});

describe('files', () => {
  test('hold no records when they are empty or their directory is missing', async () => {
    expect(await numbers()).toEqual([]);
    mkdirSync(at);
    writeFileSync(join(at, '2026-01-01.jsonl'), '');
    writeFileSync(join(at, 'notes.txt'), 'not ours');
    expect(await numbers()).toEqual([]);
  });

  test('are readable only by their owner, whatever the umask', () => {
    const umask = process.umask(0);
    try {
      log.append({ n: 1 });
      expect(statSync(only()).mode & 0o777).toBe(0o600);
      expect(statSync(at).mode & 0o777).toBe(0o700);
    } finally {
      process.umask(umask);
    }
  });

  test('are refused when they or their directory are symbolic links', async () => {
    const elsewhere = join(directory.path, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, at);
    expect(() => log.append({ n: 1 })).toThrow('not a real directory');
    await expect(numbers()).rejects.toThrow('not a real directory');
    rmSync(at);
    mkdirSync(at);
    const today = new Date().toISOString().slice(0, 10);
    symlinkSync(join(elsewhere, 'file'), join(at, `${today}.jsonl`));
    expect(() => log.append({ n: 1 })).toThrow('ELOOP');
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(await numbers()).toEqual([]);
  });

  test('change at midnight, and a flush covers both of them', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-03-31T23:59:59.900Z'), toFake: ['Date'] });
    log.append({ n: 1 });
    vi.setSystemTime(Date.parse('2026-04-01T00:00:00.100Z'));
    log.append({ n: 2 });
    await log.flush();
    expect(readdirSync(at)).toEqual(['2026-03-31.jsonl', '2026-04-01.jsonl']);
    expect(await numbers()).toEqual([1, 2]);
    expect(openFiles(at)).toEqual([join(at, '2026-04-01.jsonl')]);
  });

  test('are created again if somebody removes them while the log is open', async () => {
    log.append({ n: 1 });
    rmSync(directory.path, { recursive: true });
    log.append({ n: 2 });
    await log.flush();
    expect(await numbers()).toEqual([2]);
  });
});

/** The files in a directory that this process has open. */
function openFiles(inside: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((fd) => linkOf(`/proc/self/fd/${fd}`))
    .filter((path) => path.startsWith(inside));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
