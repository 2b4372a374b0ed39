import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { columnsOf } from '../../src/display/plain-text.ts';
import { openDirectoryState } from '../../src/state/directory/open.ts';
import type { TraceEvent } from '../../src/trace/events/event.ts';
import { TraceLog } from '../../src/trace/log.ts';
import { eventLine, headLine, matcherOf, type ShowTrace, showTrace } from '../../src/trace/show.ts';
import { anEvent, aStateDirectory, until } from './events.ts';

const piped = { colour: false };
const at = new Date(2025, 10, 16, 13, 4, 5).getTime();

describe('an event as a line for people', () => {
  it('has aligned columns, and paths relative to the served directory', () => {
    const lines = [
      anEvent({ at, who: 'anna', session: '0b6f3a52-7d36' }),
      anEvent({
        at,
        tool: 'edit_file',
        outcome: 'failed',
        error: 'not-unique',
        ms: 1234,
        bytesOut: 1_500_000,
        tokensOut: 375_000,
        paths: [
          { path: '/home/anna/app/a.txt', how: 'read' },
          { path: '/etc/passwd', how: 'refused' },
        ],
      }),
      anEvent({ at, session: '77aa77aa', ms: 0.042, bytesOut: 12, tokensOut: 3, paths: [] }),
    ].map((event) => eventLine(event, piped));
    expect([headLine(piped), ...lines]).toEqual([
      'time            who            tool                      outcome                   took    bytes   tokens  paths',
      '11-16 13:04:05  anna/0b6f      read_file                 ok                     1.50 ms   4.2 kB    ≈1024  read src/index.ts',
      '11-16 13:04:05  -              edit_file                 not-unique               1.2 s   1.5 MB    ≈375k  read a.txt, refused /etc/passwd',
      '11-16 13:04:05  77aa           read_file                 ok                     0.04 ms     12 B       ≈3',
    ]);
  });

  it('is aligned in terminals of any width: a text that does not fit its column is cut', () => {
    const long = anEvent({
      at,
      who: 'anna-from-the-other-team',
      session: '0b6f3a52',
      tool: 'list_allowed_directories',
      outcome: 'failed',
      error: 'argument-not-allowed',
      paths: [{ path: '/home/anna/app/src/some/where/deep/down/a.ts', how: 'changed' }],
    });
    for (const [width, expected] of [
      [
        140,
        [
          'time            who        tool                 outcome          took   bytes  tokens  paths',
          '11-16 13:04:05  ann…/0b6f  list_allowed_direc…  argument-no…  1.50 ms  4.2 kB   ≈1024  changed src/some/where/deep/down/a.ts',
        ],
      ],
      [
        80,
        [
          'time      tool              outcome      paths',
          '13:04:05  list_allowed_di…  argument-n…  changed src/some/where/deep/down/a.ts',
        ],
      ],
      [
        110,
        [
          'time      who        tool              outcome         took  paths',
          '13:04:05  ann…/0b6f  list_allowed_di…  argument-n…  1.50 ms  changed src/some/where/deep/down/a.ts',
        ],
      ],
      [40, ['tool        outcome    paths', 'list_allo…  argument…  changed src/some…']],
    ] as const) {
      const style = { width, colour: false };
      expect([headLine(style), eventLine(long, style)]).toEqual(expected);
    }
  });

  it('shows what else is known: more paths, hard links, confinement, a note and journal entries', () => {
    const event = anEvent({
      paths: [{ path: '/home/anna/app', how: 'ran-in', links: 2 }],
      morePaths: 7,
      confinement: ['argv policy', 'bubblewrap'],
      note: 'a large tree',
      entries: ['e1', 'e2'],
    });
    expect(eventLine(event, piped)).toMatch(
      / {2}ran-in \. \(2 names\), and 7 more, \[argv policy bubblewrap\], \(a large tree\), undo: e1 e2$/,
    );
  });

  it('shows whole paths if several directories are served, or if a path only begins like the served one', () => {
    const paths = [{ path: '/home/anna/app/a', how: 'read' as const }];
    expect(eventLine(anEvent({ roots: ['/home/anna/app', '/b'], paths }), piped)).toMatch(
      /read \/home\/anna\/app\/a$/,
    );
    expect(eventLine(anEvent({ roots: ['/home/anna/ap'], paths }), piped)).toMatch(
      /read \/home\/anna\/app\/a$/,
    );
    expect(eventLine(anEvent({ roots: ['/'], paths }), piped)).toMatch(/read home\/anna\/app\/a$/);
  });

  it.each([30, 60, 80, 100, 117])('is cut to %i columns, even with wide characters and colours', (width) => {
    for (const name of ['x'.repeat(300), '日本'.repeat(200), '😀e\u0301'.repeat(100)]) {
      const event = anEvent({ paths: [{ path: `/home/anna/app/${name}`, how: 'changed' }] });
      for (const colour of [false, true]) {
        const line = eventLine(event, { width, colour }).replaceAll(/\x1b\[\d+m/g, '');
        expect(columnsOf(line)).toBeLessThanOrEqual(width);
        expect(columnsOf(line)).toBeGreaterThanOrEqual(width - 2);
        expect(line).toMatch(/…$/);
      }
    }
  });

  it.each(['⌚', '⭐', '✅', '⚡', '日', '😀'])('counts two columns for %s', (character) => {
    expect(columnsOf(character)).toBe(2);
  });

  it.each(['a', '7', '#', '→', '✓', '…'])('counts one column for %s', (character) => {
    expect(columnsOf(character)).toBe(1);
  });

  it('is coloured only on request, and every colour is reset', () => {
    const event = anEvent({ outcome: 'failed', error: 'outside' });
    expect(eventLine(event, piped)).not.toContain('\x1b');
    const line = eventLine(event, { colour: true, width: 60 });
    expect(line).toContain('\x1b[31moutside');
    expect(line.match(/\x1b\[[1-9]\d*m/g)).toHaveLength(line.match(/\x1b\[0m/g)!.length);
  });

  it('escapes whatever could move the cursor, colour the line or hide something', () => {
    const nasty = 'a\x1b[2Jb\x1b]0;t\x07\r\n\t\0\x7f\x9b31m\u202e\u200b\u2028\u2066\ufeff\ud800\u{e0041}z';
    const event = anEvent({
      who: nasty,
      session: nasty,
      tool: nasty,
      outcome: 'failed',
      error: nasty,
      note: nasty,
      confinement: [nasty],
      entries: [nasty],
      paths: [{ path: nasty, how: nasty as never }],
      roots: [],
    });
    const line = eventLine(event, piped);
    expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    expect(line).toContain(
      'a\\x1b[2Jb\\x1b]0;t\\x07\\r\\n\\t\\x00\\x7f\\x9b31m\\u202e\\u200b\\u2028\\u2066\\ufeff\\ud800\\u{e0041}z',
    );
    const coloured = eventLine(event, { colour: true, width: 200 });
    expect(coloured.replaceAll(/\x1b\[(?:0|1|2|31|32|33)m/g, '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });

  it('shows an escape sequence that was cut in the middle as text', () => {
    const event = anEvent({ paths: [{ path: `/${'\x1b'.repeat(300)}`, how: 'read' }] });
    for (let width = 100; width < 130; width++)
      expect(eventLine(event, { width, colour: false })).not.toContain('\x1b');
  });
});

describe('a filter', () => {
  const failed = anEvent({ tool: 'write_file', outcome: 'failed', error: 'read-only' });

  it.each([
    [{}, true, true],
    [{ tool: 'read_file' }, true, false],
    [{ tool: 'file' }, true, true],
    [{ tool: 'rite' }, false, true],
    [{ path: 'src/index' }, true, true],
    [{ path: 'nowhere' }, false, false],
    [{ failed: true }, false, true],
    [{ failed: true, tool: 'read' }, false, false],
  ])('selects events by %j', (filter, first, second) => {
    expect([anEvent(), failed].map(matcherOf(filter))).toEqual([first, second]);
  });
});

it('a filter for failures finds a call that succeeded except for a refused path', () => {
  const paths = [
    { path: '/home/anna/app/a.txt', how: 'read' as const },
    { path: '/etc/passwd', how: 'refused' as const },
  ];
  expect(matcherOf({ failed: true })(anEvent({ paths }))).toBe(true);
});

describe('showing the trace', () => {
  it('shows the newest events that pass the filter, oldest first, and returns their number', async () => {
    const { log, out, text } = fixture();
    for (let n = 0; n < 10; n++) log.append(anEvent({ id: `e${n}`, at: at + n, tool: `tool-${n % 2}-${n}` }));
    expect(await showTrace({ log, out, filter: { tool: 'tool-1' }, limit: 3 })).toBe(3);
    expect(text().match(/tool-\S+/g)).toEqual(['tool-1-5', 'tool-1-7', 'tool-1-9']);
    expect(text()).not.toContain('\x1b');
    expect(text()).not.toContain('outcome');
  });

  it('shows nothing when there is nothing', async () => {
    const { log, out, text } = fixture();
    expect(await showTrace({ log, out })).toBe(0);
    expect(text()).toBe('');
  });

  it('prints events as JSON, one per line, without anything that a terminal would obey', async () => {
    const { log, out, text } = fixture();
    const event = anEvent({ paths: [{ path: '/\x1b[31m\x9b\u202e\n\ud800"\\', how: 'read' }] });
    log.append(event);
    await showTrace({ log, out, json: true });
    expect(text().split('\n')).toHaveLength(2);
    expect(JSON.parse(text())).toEqual(event);
    expect(text().trimEnd()).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });

  it('prints a header and colours and cuts the lines on a terminal, without colours if it has none', async () => {
    const { log, out, text } = fixture({ isTTY: true, columns: 70 });
    log.append(anEvent());
    log.append(anEvent());
    await showTrace({ log, out });
    const lines = text().trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('outcome');
    for (const line of lines) expect(columnsOf(line.replaceAll(/\x1b\[\d+m/g, ''))).toBeLessThanOrEqual(70);
    expect(lines[1]).toContain('\x1b[32mok');
    const plain = fixture({ isTTY: true, columns: 70, hasColors: () => false });
    plain.log.append(anEvent());
    await showTrace({ log: plain.log, out: plain.out });
    expect(plain.text()).not.toContain('\x1b');
  });

  it('follows until it is aborted, and shows each event once', async () => {
    const { log, out, text } = fixture();
    const ending = new AbortController();
    log.append(now('before'));
    const shown = showTrace({ log, out, follow: true, json: true, signal: ending.signal });
    for (let n = 0; n < 20; n++) {
      log.append(now(`e${n}`));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await until(() => text().includes('e19'));
    ending.abort();
    expect(await shown).toBe(21);
    const ids = text()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    expect(ids).toEqual(['before', ...Array.from({ length: 20 }, (_, n) => `e${n}`)]);
  });

  it('shows an event that comes while the older ones are being read only once', async () => {
    class SlowLog extends TraceLog {
      override async recent(limit: number, filter?: (event: TraceEvent) => boolean): Promise<TraceEvent[]> {
        const told: string[] = [];
        const stop = this.follow((events) => told.push(...events.map(({ id }) => id)));
        this.append(now('before the look'));
        await until(() => told.length === 1);
        const recent = await super.recent(limit, filter);
        this.append(now('behind the look'));
        await until(() => told.length === 2);
        stop();
        return recent;
      }
    }
    const { out, text } = fixture();
    const log = new SlowLog(openDirectoryState(aStateDirectory()));
    onTestFinished(() => log.close());
    const ending = new AbortController();
    const shown = showTrace({ log, out, follow: true, json: true, signal: ending.signal });
    await until(() => text().includes('behind the look'));
    log.append(now('after'));
    await until(() => text().includes('after'));
    ending.abort();
    await shown;
    const ids = [...text().matchAll(/"id":"([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual(['before the look', 'behind the look', 'after']);
  });

  it('follows with a filter', async () => {
    const { log, out, text } = fixture();
    const ending = new AbortController();
    const shown = showTrace({ log, out, follow: true, filter: { failed: true }, signal: ending.signal });
    log.append(now('good'));
    log.append({ ...now('bad'), outcome: 'failed', error: 'busy' });
    await until(() => text().includes('busy'));
    ending.abort();
    expect(await shown).toBe(1);
  });

  it('keeps the order for a reader that is slow', async () => {
    const { log } = fixture();
    for (let n = 0; n < 500; n++) log.append(now(`e${n}`));
    const taken: string[] = [];
    const slow = new Writable({
      highWaterMark: 10,
      write(chunk, _, done) {
        taken.push(String(chunk));
        setImmediate(done);
      },
    });
    expect(await showTrace({ log, out: slow, json: true, limit: 1000 })).toBe(500);
    const ids = taken.filter(Boolean).map((line) => JSON.parse(line).id);
    expect(ids).toEqual(Array.from({ length: 500 }, (_, n) => `e${n}`));
  });

  it.each([false, true])('ends quietly when the reader closes the output (following: %s)', async (follow) => {
    const { log } = fixture();
    for (let n = 0; n < 100; n++) log.append(now(`e${n}`));
    let lines = 0;
    const closing = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        lines += 1;
        done(lines > 3 ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : null);
      },
    });
    expect(await showTrace({ log, out: closing, follow })).toBeLessThan(100);
  });

  it('ends when it is aborted while the reader does not read', async () => {
    const { log } = fixture();
    for (let n = 0; n < 100; n++) log.append(now(`e${n}`));
    const ending = new AbortController();
    // Accepts a line and never calls back.
    const stuck = new Writable({ highWaterMark: 1, write: () => void setImmediate(() => ending.abort()) });
    expect(await showTrace({ log, out: stuck, signal: ending.signal })).toBe(1);
  });

  it('fails when the output has another error', async () => {
    const { log } = fixture();
    log.append(anEvent());
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('no space')) });
    await expect(showTrace({ log, out: broken, follow: true })).rejects.toThrow('no space');
  });
});

function now(id: string): TraceEvent {
  return anEvent({ id, at: Date.now(), ms: 0 });
}

function fixture(terminal: Partial<ShowTrace['out']> = {}) {
  const log = new TraceLog(openDirectoryState(aStateDirectory()));
  onTestFinished(() => log.close());
  let written = '';
  const out: ShowTrace['out'] = Object.assign(new PassThrough(), terminal);
  out.on('data', (chunk) => {
    written += chunk;
  });
  return { log, out, text: () => written };
}

describe('a terminal without a known width, or with few columns', () => {
  it.each([0, 1, 5, 19])('(%d columns) gets whole lines, which it wraps itself', async (columns) => {
    const { log, out, text } = fixture({ isTTY: true, columns, hasColors: () => false });
    log.append(anEvent({ at, paths: [{ path: '/a/long/way/to/a/file', how: 'read' }] }));
    expect(await showTrace({ log, out })).toBe(1);
    expect(text()).toContain('read_file');
    expect(text()).toContain('/a/long/way/to/a/file');
  });
});
