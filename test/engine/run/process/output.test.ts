import { describe, expect, it } from 'vitest';
import { CappedStream } from '../../../../src/engine/run/process/output.ts';

function collected(cap: number, chunks: (string | number[])[], cutOff = false) {
  const stream = new CappedStream(cap);
  for (const chunk of chunks) stream.add(Buffer.from(chunk as string));
  return stream.result(cutOff);
}

describe('the output of a stream', () => {
  it('is kept whole up to the cap', () => {
    expect(collected(6, ['abc', 'def'])).toEqual({ text: 'abcdef', truncated: false, bytes: 6 });
  });

  it('is cut at the cap and counted beyond it', () => {
    expect(collected(5, ['abc', 'def', 'ghi'])).toEqual({ text: 'abcde', truncated: true, bytes: 9 });
  });

  it('is never cut inside a character', () => {
    for (const [cap, text] of [
      [1, 'a'],
      [2, 'a'],
      [3, 'aé'],
      [5, 'aé'],
      [6, 'aé€'],
      [9, 'aé€'],
      [10, 'aé€😀'],
    ] as const) {
      expect(collected(cap, ['aé€😀!']).text).toBe(text);
    }
  });

  it('joins a character that arrives in two pieces', () => {
    const [first, ...rest] = Buffer.from('€');
    expect(collected(10, [[first!], rest]).text).toBe('€');
  });

  it('drops an incomplete character at the end when the command was interrupted', () => {
    expect(collected(10, [[0x61, 0xe2, 0x82]], true).text).toBe('a');
    expect(collected(10, [[0x61, 0xe2, 0x82]], false).text).toBe('a\ufffd');
  });

  it('stays under the cap when replacement characters make it longer', () => {
    const { text, truncated } = collected(10, [Array(10).fill(0xff)]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10);
    expect(text).toBe('\ufffd\ufffd\ufffd');
    expect(truncated).toBe(true);
  });

  it('may arrive in single bytes', () => {
    const stream = new CappedStream(100_000);
    for (let byte = 0; byte < 150_000; byte++) stream.add(Buffer.from('x'));
    expect(stream.result(false)).toEqual({ text: 'x'.repeat(100_000), truncated: true, bytes: 150_000 });
  });
});
