import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { MAX_FILE_BYTES } from '../file-limit.ts';
import { workspacePath } from '../paths.ts';

export const editFile = defineTool({
  name: 'edit_file',
  title: 'Edit file',
  description:
    'Replace literal text in a file: the first occurrence, or all with replaceAll. expectedOccurrences refuses the edit when the file holds another number of them.',
  hints: hints.destructive,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['file', 'find', 'replace'],
    properties: {
      file: { type: 'string' },
      find: { type: 'string', minLength: 1 },
      replace: { type: 'string' },
      replaceAll: { type: 'boolean', default: false },
      expectedOccurrences: { type: 'integer', minimum: 1, maximum: 1000000 },
    },
  },
  async run({ file: sent, find, replace, replaceAll, expectedOccurrences }, { engine, signal }) {
    const file = workspacePath(sent);
    const edit = {
      kind: 'literal',
      find,
      replace,
      ignoreCase: false,
      limit: replaceAll ? 0 : 1,
      expectCount: expectedOccurrences,
    } as const;
    const { replacements } = await engine.files.edit(file, [edit], { limit: MAX_FILE_BYTES, signal });
    return { file, replacements: replacements[0]! };
  },
  render: success,
});
