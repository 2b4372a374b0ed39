/** Reads the sentences of the references, each with an id, from test/spec/<dialect>.json. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Sentence {
  id: string;
  /** What the reference says there, in our own words. */
  says: string;
}

const folder = import.meta.dirname;

let ids: ReadonlySet<string> | undefined;

export function sentenceFiles(): { file: string; sentences: Sentence[] }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((file) => ({ file, sentences: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Sentence[] }));
}

export function sentenceIds(): ReadonlySet<string> {
  ids ??= new Set(sentenceFiles().flatMap(({ sentences }) => sentences.map(({ id }) => id)));
  return ids;
}
