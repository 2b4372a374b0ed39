/** Text that arrives in pieces, as lines and as messages of an event stream. */
import { describe, expect, it } from 'vitest';
import { LineReader, MessageReader } from '../../../src/page/connection/stream-readers.ts';

describe('text in pieces', () => {
  it('is joined into lines', () => {
    const reader = new LineReader();
    expect(reader.push('one\ntw')).toEqual(['one']);
    expect(reader.push('o\n')).toEqual(['two']);
    expect(reader.push('three')).toEqual([]);
    expect([reader.end(), reader.end()]).toEqual([['three'], []]);
  });

  it('is joined into messages, wherever it was split', () => {
    const text =
      ': still here\n\nid: f.3\ndata: [1]\n\nevent: reset\ndata: a\ndata: b\n\nid: f.4\n\ndata:x\n\n';
    const whole = new MessageReader().push(text);
    expect(whole).toEqual([
      { event: 'message', id: 'f.3', data: '[1]' },
      { event: 'reset', id: 'f.3', data: 'a\nb' },
      { event: 'message', id: 'f.4', data: 'x' },
    ]);
    const reader = new MessageReader();
    expect([...text].flatMap((piece) => reader.push(piece))).toEqual(whole);
  });
});
