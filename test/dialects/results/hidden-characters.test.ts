/** Answers with direction marks or invisible characters stay exact, and a note shows what they hide. */
import { afterEach, describe, expect, it } from 'vitest';
import { noteHidden, quoted } from '../../../src/dialects/results/hidden-characters.ts';
import { openReplayFixture, type ReplayFixture } from '../replay/replay-fixture.ts';

let fixture: ReplayFixture | undefined;
afterEach(async () => {
  await fixture?.close();
  fixture = undefined;
});

async function texts(tool: string, args: object): Promise<string[]> {
  const outcome = await fixture!.call(tool, args);
  if ('code' in outcome) return [outcome.message];
  return outcome.content.map((item) => (item.type === 'text' ? item.text : ''));
}

const disguised = 'a\u202etxt.exe';

describe('a name with direction marks', () => {
  it('is listed unchanged, so that the next call can use it, and a note shows it with escapes', async () => {
    fixture = openReplayFixture({ [disguised]: 'x', 'b.txt': 'y' });
    const [listing, note] = await texts('list_directory', { path: '.' });
    expect(listing).toBe(`[FILE] ${disguised}\n[FILE] b.txt`);
    expect(note).toContain('line 1: "[FILE] a\\u202etxt.exe"');
    expect(note).not.toContain('\u202e');
    expect(await texts('read_file', { path: disguised })).toEqual(['x']);
  });

  it('is noted in trees, searches, globs, greps and suggestions', async () => {
    fixture = openReplayFixture({ [disguised]: 'x' });
    const calls: [string, object][] = [
      ['directory_tree', { path: '.' }],
      ['search_files', { directory: '.', nameContains: 'a' }],
      ['glob_search', { directory: '.', globs: ['*'] }],
      ['grep_files', { directory: '.', regex: 'x' }],
      ['read_file', { path: 'a\u202etxt.exf' }],
    ];
    for (const [tool, args] of calls) {
      expect((await texts(tool, args)).join('\n'), tool).toMatch(/\[note: .*a\\u202etxt\.exe/);
    }
  });
});

describe('a name with line breaks or controls', () => {
  it('cannot look like another line in any answer', async () => {
    const forged = 'a\n[FILE] b\u0085\u009b31m';
    fixture = openReplayFixture({ [forged]: 'x' });
    expect(await texts('list_directory', { path: '.' })).toEqual(['[FILE] "a\\n[FILE] b\\u0085\\u009b31m"']);
    const edits = [{ oldText: 'x', newText: 'y' }];
    for (const dryRun of [true, false]) {
      const [said] = await texts('edit_files', { paths: [`${fixture.root}/a*`], edits, dryRun });
      expect(said).not.toContain('\n[FILE]');
      expect(said).toContain('a\\n[FILE] b\\u0085');
    }
    const [missing] = await texts('read_file', { path: 'a\n[FILE] b\u0085\u009b31' });
    expect(missing).toContain('Did you mean "a\\n[FILE] b\\u0085\\u009b31m"?');
  });
});

describe('contents', () => {
  it('stay exact, and a note shows their hidden characters', async () => {
    const source = 'if (admin\u202e /*\u2066 x */) {\n  ok\u200b();\n}\n';
    fixture = openReplayFixture({ 'a.ts': source });
    const [content, note] = await texts('read_file', { path: 'a.ts' });
    expect(content).toBe(source);
    expect(note).toContain('3 direction marks or invisible characters');
    expect(note).toContain('line 1: "if (admin\\u202e /*\\u2066 x */) {"');
    expect(note).toContain('line 2: "  ok\\u200b();"');
  });

  it('with text spelled in tags get a note, which stays short for a long run', async () => {
    fixture = openReplayFixture({ 'a.txt': `hi${'\u{e0041}'.repeat(5000)}` });
    const [, note] = await texts('read_file', { path: 'a.txt' });
    expect(note).toContain('more than 1000 direction marks');
    expect(note).toContain('\\udb40\\udc41');
    expect(note!.length).toBeLessThan(5000);
  });

  it('with text spelled in variation selectors get a note, unless these belong to a character', async () => {
    const spelled = [...Buffer.from('hi\x01')].map((byte) =>
      String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16),
    );
    fixture = openReplayFixture({ 'a.txt': `😀${spelled.join('')} a\ufe0f \ufe0f ✔️\ufe0e b\u180b\n` });
    const [, note] = await texts('read_file', { path: 'a.txt' });
    expect(note).toContain('7 direction marks or invisible characters');
  });

  it.each([0xad, 0x34f, 0x115f, 0x1160, 0x17b4, 0x3164, 0xffa0, 0xfff9, 0x1d173])(
    'with the invisible character %i get a note',
    async (code) => {
      fixture = openReplayFixture({ 'a.txt': `pay${String.fromCodePoint(code)}pal\n` });
      const [, note] = await texts('read_file', { path: 'a.txt' });
      expect(note).toContain('1 direction mark or invisible character');
    },
  );

  it('get no note for ordinary joiners, emoji, selectors or a byte-order mark', async () => {
    const usual =
      '\ufeffمی‌خواهم क्‍ष 👨‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} ✔️ é 1️⃣ #️⃣ ©️ 葛\u{e0100}城 ᠠ\u180b ≨\ufe00 𝄞\n';
    fixture = openReplayFixture({ 'a.txt': usual });
    expect(await texts('read_file', { path: 'a.txt' })).toEqual([usual]);
  });
});

describe('an answer in JSON', () => {
  const noteOf = (content: string) =>
    noteHidden({ result: { content: [{ type: 'text', text: JSON.stringify({ ok: true, content }) }] } });

  it('gets no note for a content that begins with a byte-order mark', async () => {
    expect(await noteOf('\ufeffhi')).toBeUndefined();
  });

  it.each(['h\ufeffi', '"\ufeffhi', '"content":"\ufeffhi', '\ufeff\ufeffhi'])(
    'gets a note for a mark anywhere else: %j',
    async (content) => {
      expect(await noteOf(content)).toContain('1 direction mark or invisible character');
    },
  );
});

describe('long contents', () => {
  const FLAG = '\u{1f3f4}';

  it('cannot hide a text in tags after a flag, and take time in proportion to their length', async () => {
    // Looking back from each tag for its flag would take minutes here, far beyond what a test may take.
    fixture = openReplayFixture({ 'a.txt': `${FLAG}${'\u{e0061}'.repeat(1_000_000)}` });
    const [, note] = await texts('read_file', { path: 'a.txt' });
    expect(note).toContain('more than 1000 direction marks');
  });

  it('are searched as a whole, wherever their pieces end', async () => {
    const scotland = `${FLAG}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}`;
    for (let shift = 0; shift < 20; shift++) {
      const source = `${'x\n'.repeat(32_758)}${'y'.repeat(shift)}${scotland}\n${'z\n'.repeat(40_000)}a\u200bb`;
      fixture = openReplayFixture({ 'a.txt': source });
      const [, note] = await texts('read_file', { path: 'a.txt' });
      expect(note, `${shift}`).toContain('1 direction mark');
      expect(note, `${shift}`).toContain('line 72760: "a\\u200bb"');
      await fixture.close();
    }
    fixture = undefined;
  });

  it('let the next turn of the event loop begin', async () => {
    const outcome = {
      result: { content: [{ type: 'text' as const, text: '\u6f22\u200d'.repeat(3_000_000) }] },
    };
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    await noteHidden(outcome);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });
});

it('quotes text as JSON that means the same', () => {
  const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join('');
  expect(JSON.parse(quoted(`${all}\u{e0041}`))).toBe(`${all}\u{e0041}`);
  expect(quoted(all)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
});
