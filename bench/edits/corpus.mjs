/** Gathers 300 edits of real sources. The same repository on the same machine gives the same edits. */
import { join } from 'node:path';
import { historyEdits } from './history.mjs';
import { sourcesOf } from './sources.mjs';

const SIZE = 300;
const FROM_HISTORY = { typescript: 70, javascript: 20, markdown: 20 };
const LANGUAGES = ['python', 'perl', 'shell', 'c', 'javascript'];
/** Takes few edits from each source, so that there are many sources. */
const OF_EACH_SOURCE = 2;

/** `spoils` has the corpus of the tests and the function that makes edits of a source. */
export async function gatherEdits(root, { editCorpus, madeEdits, seededRandom }) {
  const random = seededRandom(11);
  const written = editCorpus();
  const history = await historyEdits(root, FROM_HISTORY, random);
  const missing = Math.max(0, SIZE - written.length - history.length);
  const made = [];
  for (const [index, language] of LANGUAGES.entries()) {
    const share = Math.ceil((missing - made.length) / (LANGUAGES.length - index));
    const own = [];
    for (const source of sourcesOf(language, join(root, 'node_modules'), share)) {
      if (own.length >= share) break;
      own.push(...madeEdits(language, source, Math.min(OF_EACH_SOURCE, share - own.length), random));
    }
    made.push(...own);
  }
  const edits = [...written, ...history, ...made];
  const languages = new Set(edits.map(({ title }) => title.split(':')[0]));
  return {
    edits,
    about: [
      `${edits.length} edits in ${languages.size} languages (${[...languages].sort().join(', ')}):`,
      `${written.length} of test/corpus, ${history.length} from this repository's history,`,
      `${made.length} made of sources on this machine`,
    ].join(' '),
  };
}
