/** Adding an entry to a configuration and taking it out again changes nothing else. */
import { describe, expect, it } from 'vitest';
import type { FormatName, ServerEntry } from '../../../src/cli/clients/client.ts';
import { type EntryPlace, entryIn, withEntry, withoutEntry } from '../../../src/cli/clients/formats/edit.ts';
import { ConfigProblem } from '../../../src/cli/clients/formats/format.ts';
import { Choice, randomJson, randomToml, randomYaml } from './random-configs.ts';

const ROUNDS = process.env.COFFERDAM_SOAK ? 20_000 : 200;
const entry: ServerEntry = {
  command: '/usr/bin/node',
  args: ['/a "b"/c.cjs', '--deny', '*.env', '/home/me/ü'],
};

function place(format: FormatName, ...keys: string[]): EntryPlace {
  return { format, keys, name: 'cofferdam' };
}

/** Whether one text is the other with pieces added: everything is still there, in the same order. */
function contains(longer: string, shorter: string): boolean {
  let at = 0;
  for (const character of longer) if (character === shorter[at]) at++;
  return at === shorter.length;
}

const kinds: [string, EntryPlace, (choice: Choice) => string][] = [
  ['JSON', place('json', 'mcpServers'), (choice) => randomJson(choice, ['mcpServers'])],
  ['JSON, two levels', place('json', 'mcp', 'servers'), (choice) => randomJson(choice, ['mcp', 'servers'])],
  ['TOML', place('toml', 'mcp_servers'), randomToml],
  ['YAML', place('yaml', 'extensions'), randomYaml],
];

/** An empty mapping that existed before looks the same as one that was added with the entry. */
const LEAST_AS_BEFORE = { json: 0, toml: 0.999, yaml: 0.8 };

describe.each(kinds)('%s', (_, where, random) => {
  it('keeps every byte of random files, and nearly always restores them exactly without a backup', () => {
    let asBefore = 0;
    for (let seed = 0; seed < ROUNDS; seed++) {
      const before = random(new Choice(seed));
      const after = withEntry(before, where, entry);
      const told = `seed ${seed}\n${before}\n---\n${after}`;
      expect(entryIn(after, where), told).toEqual(entry);
      expect(contains(after, before), told).toBe(true);
      const back = withoutEntry(after, where);
      // If several texts become the same one, any of them is right: the backup knows which it was.
      if (back === before) asBefore++;
      else expect(withEntry(back, where, entry), told).toBe(after);
      expect(entryIn(back, where), told).toBeUndefined();
    }
    expect(asBefore / ROUNDS).toBeGreaterThan(LEAST_AS_BEFORE[where.format]);
  });
});

describe('JSON', () => {
  const where = place('json', 'mcpServers');
  const add = (text: string) => withEntry(text, where, { command: 'c', args: ['d'] });

  it.each([
    [
      'an empty file',
      '',
      '{\n  "mcpServers": {\n    "cofferdam": {\n      "command": "c",\n      "args": [\n        "d"\n      ]\n    }\n  }\n}\n',
    ],
    ['one line', '{"a":1}', '{"a":1, "mcpServers": {"cofferdam":{"command":"c","args":["d"]}}}'],
    [
      'tabs, CRLF and a trailing comma',
      '{\r\n\t"mcpServers": {\r\n\t\t"x": {}, // mine\r\n\t},\r\n}',
      '{\r\n\t"mcpServers": {\r\n\t\t"x": {}, // mine\r\n\t\t"cofferdam": {\r\n\t\t\t"command": "c",\r\n\t\t\t"args": [\r\n\t\t\t\t"d"\r\n\t\t\t]\r\n\t\t},\r\n\t},\r\n}',
    ],
    [
      'a comment after the last entry',
      '{\n  "a": 1 // one\n}\n',
      '{\n  "a": 1, // one\n  "mcpServers": {\n    "cofferdam": {\n      "command": "c",\n      "args": [\n        "d"\n      ]\n    }\n  }\n}\n',
    ],
  ])('%s', (_, before, after) => {
    expect(add(before)).toBe(after);
    expect(withoutEntry(after, where)).toBe(before);
  });

  it('takes out an entry between two others, with only its comma', () => {
    const text =
      '{"mcpServers": {\n  "a": {},\n  // ours\n  "cofferdam": { "command": "c" }, // why\n  "b": {}\n}}';
    expect(withoutEntry(text, where)).toBe('{"mcpServers": {\n  "a": {},\n  // ours // why\n  "b": {}\n}}');
  });
});

describe('a text that cannot be changed', () => {
  const problem = (format: FormatName, text: string, ...keys: string[]) => {
    try {
      withEntry(text, place(format, ...keys), entry);
    } catch (error) {
      if (error instanceof ConfigProblem) return [error.line, error.column, error.message];
      throw error;
    }
    return undefined;
  };

  it.each<[string, FormatName, string, string, number, number]>([
    ['JSON with a missing comma', 'json', '{\n  "a": 1\n  "b": 2\n}', 'mcpServers', 3, 3],
    ['JSON that stops', 'json', '{\n  "a": ', 'mcpServers', 2, 8],
    ['a list', 'json', ' []', 'mcpServers', 1, 2],
    ['a text where the servers should be', 'json', '{\n"mcpServers": "x"}', 'mcpServers', 2, 15],
    ['the servers twice', 'json', '{"mcpServers": {},\n "mcpServers": {}}', 'mcpServers', 2, 2],
    ['TOML with a broken value', 'toml', 'a = 1\nb = \n', 'mcp_servers', 2, 5],
    ['YAML with a broken indentation', 'yaml', 'a:\n  b: 1\n c: 2\n', 'extensions', 3, 1],
    ['YAML in which the extensions are a list', 'yaml', 'a: 1\nextensions:\n  - x\n', 'extensions', 3, 3],
  ])('%s is an error that names its place', (_, format, text, key, line, column) => {
    expect(problem(format, text, key)?.slice(0, 2)).toEqual([line, column]);
  });

  it('may have an inline table of TOML or a second YAML document', () => {
    expect(problem('toml', 'mcp_servers = { a = { command = "x" } }\n', 'mcp_servers')?.[2]).toContain(
      'by hand',
    );
    expect(problem('yaml', 'a: 1\n---\nb: 2\n', 'extensions')).toBeDefined();
  });
});
