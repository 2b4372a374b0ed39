/** A file of three gigabytes: calls that do not read it are quick, and calls that read it all are refused clearly. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RawClient } from '../../client.ts';
import { temporaryDirectory } from '../../tree.ts';

const SIZE = 3 * 1024 ** 3;
/** More would not fit into one message. */
const LIMIT = 8 * 1024 * 1024;
const MEMORY_BOUND = 150 * 1024 * 1024;

let directory: { path: string; remove(): void };
let client: RawClient;
beforeAll(async () => {
  directory = temporaryDirectory();
  writeFileSync(join(directory.path, 'huge.bin'), '');
  truncateSync(join(directory.path, 'huge.bin'), SIZE);
  writeFileSync(join(directory.path, 'small.txt'), 'small');
  client = await RawClient.start([directory.path]);
});
afterAll(async () => {
  await client.end();
  directory.remove();
});

it('its size is reported, and its directory can be listed', async () => {
  expect(await client.text('get_file_info', { path: 'huge.bin' })).toContain(`size: ${SIZE}`);
  expect(await client.text('list_directory', { path: '.' })).toBe('[FILE] huge.bin\n[FILE] small.txt');
});

it('reading it whole is refused, with its size, the limit and another way', async () => {
  const { error } = await client.call('read_file', { path: 'huge.bin' });
  expect(error).toMatchObject({ code: -32603 });
  expect(error!.message).toContain(String(SIZE));
  const [, limit] = /the limit is (\d+) bytes \(8 MiB\)/.exec(error!.message)!;
  expect(Number(limit)).toBeLessThan(LIMIT);
  expect(error!.message).toMatch(/part/);
});

it('reading it together with other files fails for it alone', async () => {
  const text = await client.text('read_multiple_files', { paths: ['small.txt', 'huge.bin'] });
  expect(text).toContain('small.txt:\nsmall');
  expect(text).toContain('huge.bin:\n[error: Too large');
});

it('editing it is refused, and leaves it as it is', async () => {
  const { error } = await client.call('edit_file', {
    path: 'huge.bin',
    edits: [{ oldText: 'a', newText: 'b' }],
  });
  expect(error!.message).toContain('Too large to edit');
});

it('moving it is quick', async () => {
  await client.text('move_file', { source: 'huge.bin', destination: 'd/huge.bin' });
  expect(await client.text('get_file_info', { path: 'd/huge.bin' })).toContain(`size: ${SIZE}`);
});

it.runIf(process.platform === 'linux')('all these operations need little memory', () => {
  const status = readFileSync(`/proc/${client.child.pid}/status`, 'utf8');
  const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)![1]) * 1024;
  expect(peak).toBeLessThan(MEMORY_BOUND);
});
