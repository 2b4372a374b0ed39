/** Which events the page keeps, and which ones pass its filters. */
import { describe, expect, it } from 'vitest';
import { EventStore, noFilter } from '../../../src/page/data/event-store.ts';
import { event } from '../rows.ts';

const at = (path: string) => event({ paths: [{ path, how: 'read' }] });
const shownPaths = (store: EventStore) => store.shown.map(({ event: { paths } }) => paths[0]!.path);

describe('the events of the store', () => {
  it('are added once, in the order of arrival', () => {
    const store = new EventStore();
    const [one, two] = [event(), event()];
    expect(store.add([one, two])).toEqual({ shown: 2, trimmed: false });
    expect(store.add([two, one])).toEqual({ shown: 0, trimmed: false });
    expect(store.rows.map((row) => row.event)).toEqual([one, two]);
  });

  it('are the newest hundred thousand', () => {
    const store = new EventStore();
    store.setFilter({ ...noFilter, tool: 'rare' });
    store.add([event({ tool: 'rare' })]);
    const added = store.add(Array.from({ length: 110_000 }, () => event()));
    expect(added.trimmed).toBe(true);
    expect(store.rows).toHaveLength(100_000);
    expect(store.shown).toHaveLength(0);
    store.setFilter(noFilter);
    expect(store.shown).toHaveLength(100_000);
  });

  it('are found by their position in the list', () => {
    const store = new EventStore();
    store.add(Array.from({ length: 50 }, (_, index) => event({ tool: index % 3 === 0 ? 'a' : 'b' })));
    store.setFilter({ ...noFilter, tool: 'a' });
    const newestFirst = [...store.shown].reverse();
    for (const [place, row] of newestFirst.entries()) {
      expect(store.placeOf(row)).toBe(place);
      expect(store.rowAt(place)).toBe(row);
    }
    expect(store.placeOf(store.rows[1]!)).toBe(-1);
  });

  it('are sorted by a column, newest first among equals, including events that arrive later', () => {
    const store = new EventStore();
    store.add([5, 1, 5, 3].map((ms, index) => event({ ms, tool: `tool-${index}` })));
    const listed = () => Array.from({ length: store.listed }, (_, place) => store.rowAt(place)!.event.tool);
    store.setFilter({ ...noFilter, sort: '-took' });
    expect(listed()).toEqual(['tool-2', 'tool-0', 'tool-3', 'tool-1']);
    expect(store.placeOf(store.rows[3]!)).toBe(2);
    store.add([event({ ms: 4, tool: 'late' })]);
    store.sort();
    expect(listed()).toEqual(['tool-2', 'tool-0', 'late', 'tool-3', 'tool-1']);
    store.setFilter({ ...noFilter, sort: 'tool' });
    expect(listed()).toEqual(['late', 'tool-0', 'tool-1', 'tool-2', 'tool-3']);
    expect(store.isFiltered).toBe(false);
    store.setFilter(noFilter);
    expect(listed()[0]).toBe('late');
  });

  it('pass a time range that includes its start and excludes its end', () => {
    const store = new EventStore();
    store.add([1000, 1999, 2000, 3000].map((at) => event({ at })));
    store.setFilter({ ...noFilter, from: '1999', to: '3000' });
    expect(store.shown.map(({ event: { at } }) => at)).toEqual([1999, 2000]);
    expect(store.isFiltered).toBe(true);
    store.setFilter({ ...noFilter, to: '2000' });
    expect(store.shown.map(({ event: { at } }) => at)).toEqual([1000, 1999]);
  });

  it('show which tools and sessions exist', () => {
    const store = new EventStore();
    const { session: _, ...alone } = event();
    store.add([event({ tool: 'b', who: 'anna' }), { ...alone, tool: 'a' }]);
    expect([...store.tools]).toEqual(['b', 'a']);
    expect([...store.sessions.values()].map(({ label }) => label)).toEqual(['anna · one', 'replay · s']);
    store.clear();
    expect([store.rows.length, store.tools.size, store.sessions.size]).toEqual([0, 0, 0]);
  });
});

describe('the filters', () => {
  it('pass the events that match all of them, including events that arrive later', () => {
    const store = new EventStore();
    store.add([event(), event({ tool: 'x' }), event({ tool: 'x', outcome: 'failed' })]);
    store.setFilter({ ...noFilter, tool: 'x', outcome: 'failed' });
    expect(store.shown).toHaveLength(1);
    expect(store.add([event({ tool: 'x', outcome: 'failed' }), event()]).shown).toBe(1);
    store.setFilter({ ...noFilter, session: 'two' });
    expect(store.shown).toHaveLength(0);
    expect(store.add([event({ session: 'two' })]).shown).toBe(1);
    expect(store.isFiltered).toBe(true);
  });

  it('find a part of any path, in upper or lower case', () => {
    const store = new EventStore();
    store.add([
      at('/w/README.md'),
      at('/w/src/b'),
      event({
        paths: [
          { path: '/w/x', how: 'read' },
          { path: '/w/Readme', how: 'read' },
        ],
      }),
    ]);
    store.setFilter({ ...noFilter, path: ' readme ' });
    expect(shownPaths(store)).toEqual(['/w/README.md', '/w/x']);
    store.setFilter({ ...noFilter, path: 'x\n/w' });
    expect(store.shown).toHaveLength(0);
  });

  it('find a directory and everything below it, but not its siblings', () => {
    const store = new EventStore();
    store.add([at('/w/src'), at('/w/src/a'), at('/w/srcs'), at('/w/srcs/a')]);
    store.setFilter({ ...noFilter, path: '/w/src/' });
    expect(shownPaths(store)).toEqual(['/w/src', '/w/src/a']);
  });

  it('treat a backslash as part of a name, and on Windows as a separator', () => {
    const store = new EventStore();
    store.add([at('/w/src\\a'), at('/w/src/a')]);
    store.setFilter({ ...noFilter, path: '/w/src/' });
    expect(shownPaths(store)).toEqual(['/w/src/a']);
    store.setFilter({ ...noFilter, path: 'src\\a' });
    expect(shownPaths(store)).toEqual(['/w/src\\a']);
    store.add([at('C:\\w\\src\\B')]);
    for (const path of ['c:\\w\\src\\', 'w/src/b']) {
      store.setFilter({ ...noFilter, path });
      expect(shownPaths(store)).toEqual(['C:\\w\\src\\B']);
    }
  });

  it('work on a hundred thousand events', () => {
    const store = new EventStore();
    store.add(
      Array.from({ length: 100_000 }, (_, index) => at(`/srv/app/src/part-${index % 977}/file-${index}.ts`)),
    );
    store.setFilter({ ...noFilter, path: 'part-5/file', outcome: 'ok' });
    expect(store.shown).toHaveLength(103);
  });
});
