/** Reads the corpus of sources and edits. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CorpusEdit {
  /** The language and the name of the edit. */
  title: string;
  source: string;
  oldText: string;
  newText: string;
  /** The source after the edit. */
  expected: string;
}

interface EditFile {
  language: string;
  file: string;
  edits: readonly { name: string; oldText: readonly string[]; newText: readonly string[] }[];
}

const folder = join(import.meta.dirname, 'edits');

export function editCorpus(): CorpusEdit[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const { language, edits } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as EditFile;
      const source = readFileSync(join(folder, `${language}.txt`), 'utf8');
      return edits.map((edit): CorpusEdit => {
        const oldText = textOf(edit.oldText);
        const newText = textOf(edit.newText);
        const expected = source.replace(oldText, () => newText);
        return { title: `${language}: ${edit.name}`, source, oldText, newText, expected };
      });
    });
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
