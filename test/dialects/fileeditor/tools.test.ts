/** What clients see of the tools. Any change of it fails here. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fileeditor } from '../../../src/dialects/fileeditor/index.ts';
import { proves } from '../../proves.ts';

const documented = JSON.parse(readFileSync(new URL('./schemas.json', import.meta.url), 'utf8')) as {
  name: string;
  inputSchema: unknown;
}[];

describe('tools/list', () => {
  it('offers the seven tools in the documented order', () => {
    proves('fileeditor.overview.tools');
    expect(fileeditor.tools.map(({ name }) => name)).toEqual([
      'set_workspace',
      'read_files',
      'write_files',
      'apply_diffs',
      'insert_contents',
      'search_and_replace',
      'list_files',
    ]);
  });

  for (const { name, inputSchema } of documented) {
    it(`shows the schema of ${name} as documented, even in the order of its keys`, () => {
      const tool = fileeditor.tools.find((each) => each.name === name)!;
      expect(JSON.stringify(tool.input, null, 1)).toBe(JSON.stringify(inputSchema, null, 1));
    });
  }

  it('says what every tool does to files', () => {
    const hints = fileeditor.tools.map((tool) => [
      tool.name,
      Object.entries(tool.hints).flatMap(([hint, holds]) => (holds ? [hint] : [])),
    ]);
    expect(Object.fromEntries(hints)).toEqual({
      set_workspace: ['idempotent'],
      read_files: ['readOnly', 'idempotent'],
      write_files: ['destructive', 'idempotent'],
      apply_diffs: ['destructive'],
      insert_contents: [],
      search_and_replace: ['destructive'],
      list_files: ['readOnly', 'idempotent'],
    });
  });
});
