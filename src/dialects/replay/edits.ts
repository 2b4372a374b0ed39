/** What edit_file and edit_files share: the schema of an edit, what it means, and how its preview is shown. */
import type { TextEdit } from '../../engine/index.ts';
import { expandHome } from '../../expand-home.ts';
import type { FromSchema } from '../arguments/schema.ts';
import { catchFailure } from '../catch-failure.ts';
import type { ToolContext } from '../dialect.ts';
import { onOneLine } from '../results/one-line.ts';

export const editsSchema = {
  type: 'array',
  description: 'Edit operations applied in sequence',
  minItems: 1,
  items: {
    type: 'object',
    properties: {
      oldText: { type: 'string', minLength: 1, description: 'Text to find' },
      newText: {
        type: 'string',
        default: '',
        description:
          'Replacement text; with isRegex: \\1-\\9 or $1-$9 need capture groups; \\0/$0/$& = whole match; $$ = literal $',
      },
      limit: {
        type: 'integer',
        minimum: 0,
        default: 1,
        description: 'Max replacements (0 = unlimited)',
      },
      isRegex: {
        type: 'boolean',
        default: false,
        description:
          'Treat oldText as ECMAScript (JS) regex. Keep false for known text (literal is safer/idempotent); use only for variable text / patterns',
      },
      caseInsensitive: { type: 'boolean', default: false, description: 'Case-insensitive match' },
    },
    required: ['oldText'],
  },
} as const;

export type ReplayEdit = FromSchema<typeof editsSchema>[number];

export type Edited = { written: true } | { diff: string } | { intended: readonly ReplayEdit[] };

/** Edits one file, or previews the edits. The preview for a missing file lists them. */
export async function editOne(
  path: string,
  edits: readonly ReplayEdit[],
  dryRun: boolean,
  { engine, signal, home }: ToolContext,
): Promise<Edited> {
  const real = expandHome(path, home);
  const wanted = edits.map(toTextEdit);
  if (!dryRun) {
    await engine.files.edit(real, wanted, { signal });
    return { written: true };
  }
  const name = onOneLine(path);
  const preview = () => engine.files.previewEdit(real, wanted, { name, signal });
  const previewed = await catchFailure('not-found', preview);
  return 'failure' in previewed ? { intended: edits } : { diff: previewed.value.diff || '(no changes)' };
}

export function editedText(path: string, edited: Edited): string {
  if ('written' in edited) return `Successfully edited ${onOneLine(path)}`;
  if ('diff' in edited) return edited.diff;
  const list = edited.intended.map((edit, i) => `${i + 1}. ${describe(edit)}`);
  return `File does not exist: ${onOneLine(path)}\nIntended edits:\n${list.join('\n')}`;
}

function toTextEdit(edit: ReplayEdit): TextEdit {
  const { oldText, newText, limit, isRegex, caseInsensitive } = edit;
  if (isRegex) {
    const flags = caseInsensitive ? 'im' : 'm';
    return { kind: 'regex', pattern: oldText, flags, replace: newText, style: 'sed', limit, mustMatch: true };
  }
  return {
    kind: 'literal',
    find: oldText,
    replace: newText,
    ignoreCase: caseInsensitive,
    limit,
    unique: limit === 1,
    anyIndent: limit === 1 && !caseInsensitive,
  };
}

function describe(edit: ReplayEdit): string {
  const how = [edit.isRegex ? 'regex' : '', edit.caseInsensitive ? 'case-insensitive' : ''].filter(Boolean);
  const many = edit.limit === 0 ? ', all occurrences' : edit.limit > 1 ? `, up to ${edit.limit}` : '';
  const manner = how.length > 0 ? ` (${how.join(', ')}${many})` : many && ` (${many.slice(2)})`;
  return `replace ${JSON.stringify(edit.oldText)} with ${JSON.stringify(edit.newText)}${manner}`;
}
