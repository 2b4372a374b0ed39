/** Edits that people made: hunks between successive versions of files in this repository's history. */
import { run } from '../children.mjs';

const KINDS = { '.ts': 'typescript', '.mjs': 'javascript', '.md': 'markdown' };
const MOST_LINES = 30;
const MOST_BYTES = 60_000;
const CONTEXT = 2;
const ONE_IN = 8;

/** As many edits as `counts` asks for in each language, from the oldest commits on; none where there is no history. */
export async function historyEdits(root, counts, random) {
  const git = async (...args) => (await run('git', ['-C', root, ...args], { keep: true })).output;
  const changes = await changesIn(git);
  const edits = [];
  for (const [language, count] of Object.entries(counts)) {
    let found = 0;
    for (const change of scattered(changes.filter((each) => each.language === language))) {
      if (found === count) break;
      const edit = await editOf(git, change, random);
      if (!edit) continue;
      edits.push(edit);
      found++;
    }
  }
  return edits;
}

/** Puts one change in `ONE_IN` first, chosen by its hash: so the choice does not depend on the number of commits. */
function scattered(changes) {
  const isFirst = ({ before }) => Number.parseInt(before.slice(0, 6), 16) % ONE_IN === 0;
  return [...changes.filter(isFirst), ...changes.filter((change) => !isFirst(change))];
}

async function changesIn(git) {
  let log;
  try {
    const format = [
      '--reverse',
      '--no-merges',
      '--no-renames',
      '--diff-filter=M',
      '--format=',
      '--raw',
      '--no-abbrev',
    ];
    log = await git('log', ...format);
  } catch {
    return [];
  }
  return log.split('\n').flatMap((line) => {
    const [, before, after, path] = /^:\d+ \d+ (\w+) (\w+) M\t(.*)$/.exec(line) ?? [];
    const language = path && KINDS[/\.\w+$/.exec(path)?.[0]];
    return language ? [{ before, after, path, language }] : [];
  });
}

/** One hunk of a change, and the file as it was before. */
async function editOf(git, { before, after, path, language }, random) {
  const source = await git('cat-file', 'blob', before);
  if (source.length > MOST_BYTES || !source.endsWith('\n') || source.includes('\r')) return undefined;
  const diff = await git('diff', `-U${CONTEXT}`, '--no-color', before, after);
  const hunks = diff.split(/^@@.*@@.*\n/m).slice(1);
  if (hunks.length === 0) return undefined;
  const lines = hunks[random(hunks.length)].split('\n').slice(0, -1);
  if (lines.length > MOST_LINES || lines.some((line) => line.startsWith('\\'))) return undefined;
  const text = (marks) => lines.filter((line) => marks.includes(line[0])).map((line) => `${line.slice(1)}\n`);
  const oldText = text(' -').join('');
  const newText = text(' +').join('');
  if (oldText === '' || source.split(oldText).length !== 2) return undefined;
  return {
    title: `${language}: ${path}`,
    source,
    oldText,
    newText,
    expected: source.replace(oldText, () => newText),
  };
}
