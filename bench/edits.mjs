/** 300 edits of real sources, right and spoiled, through Cofferdam and other servers: applied, refused or wrong. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rowsFor, rowTitles } from './edits/cases.mjs';
import { contestants, NAME } from './edits/contestants.mjs';
import { gatherEdits } from './edits/corpus.mjs';
import { loadSpoils } from './edits/spoils.mjs';
import { absent, figure } from './table.mjs';
import { tokensOf } from './tasks/conversation.mjs';

/** A quick run takes one edit in this many. */
const QUICK_ONE_IN = 6;
const SEED = 5;

export const edits = {
  name: 'edits',
  about: '300 edits of real sources, as models spoil them: applied exactly, refused, applied wrongly',
  quick: false,
  async run(bench) {
    const spoils = await loadSpoils(bench.root);
    const { edits: all, about } = await gatherEdits(bench.root, spoils);
    const chosen = bench.quick ? all.filter((_, index) => index % QUICK_ONE_IN === 0) : all;
    bench.say(about);
    const takers = await contestants(bench);
    for (const taker of takers) if (taker.open) taker.tallies = await outcomes(bench, taker, chosen, spoils);
    return {
      rows: takers.map((taker) => summary(taker)),
      tables: [
        table(
          about,
          takers.filter(({ tallies }) => tallies),
        ),
      ],
    };
  },
};

/** Counts the outcomes of the edits of each row. */
async function outcomes(bench, taker, chosen, spoils) {
  const server = await taker.open();
  try {
    const tallies = [];
    for (const row of rowsFor(taker.kind, spoils)) {
      const tally = { exact: 0, refused: 0, wrong: 0, tokens: 0 };
      tallies.push(tally);
      if (!row.caseOf) continue;
      bench.say(`${taker.name}: ${row.title}`);
      const random = spoils.seededRandom(SEED);
      for (const edit of chosen) await count(taker, server, row, edit, random, tally);
    }
    return tallies;
  } finally {
    server.stop();
  }
}

/** Sends one edit, and judges it by the bytes of the file afterwards. */
async function count({ kind, call, folder }, server, row, edit, random, tally) {
  const path = join(folder, NAME);
  writeFileSync(path, edit.source);
  const labels = kind === 'anchors' ? await labelsOf(server) : undefined;
  const spoiled = row.caseOf(edit, random, labels);
  if (!spoiled) return;
  if (spoiled.now !== edit.source) writeFileSync(path, spoiled.now);
  const [tool, args] = call({ path, ...spoiled });
  tally.tokens += tokensOf(Buffer.byteLength(JSON.stringify(args)));
  await server.request('tools/call', { name: tool, arguments: args }).catch(() => {});
  const after = readFileSync(path, 'utf8');
  if (after === spoiled.now) tally.refused++;
  else if (after === spoiled.expected && !row.never) tally.exact++;
  else tally.wrong++;
}

/** The anchors of all lines, as a read shows them. */
async function labelsOf(server) {
  const labels = [];
  let args = { path: NAME, anchors: true };
  while (args) {
    const text = await server.call('read_text_file', args);
    labels.push(...[...text.matchAll(/^(\d+#\w\w)\|/gm)].map((found) => found[1]));
    const next = /next: read_text_file (\{.*\})\]$/.exec(text.trimEnd());
    args = next ? JSON.parse(next[1]) : undefined;
  }
  return labels;
}

function summary({ name, tallies, why, isOurs }) {
  if (!tallies) return absent('spoiled edits', why, name);
  const { exact, refused, wrong, tokens } = sum(tallies);
  const count = exact + refused + wrong;
  return figure({
    what: `edits applied wrongly, ${name}`,
    ours: wrong,
    unit: 'edits',
    ...(isOurs ? { budget: { atMost: 0, of: 'ours' } } : {}),
    note: `of ${count}: ${exact} applied exactly, ${refused} refused; ${Math.round(tokens / count)} tokens sent for each`,
  });
}

function sum(tallies) {
  const total = { exact: 0, refused: 0, wrong: 0, tokens: 0 };
  for (const tally of tallies) for (const key of Object.keys(total)) total[key] += tally[key];
  return total;
}

function table(about, takers) {
  return {
    title: `${about}. A cell says how many were applied exactly / refused / applied wrongly.`,
    head: ['spoiled by', ...takers.map(({ name }) => name)],
    lines: [
      ...rowTitles.map((title, index) => [title, ...takers.map(({ tallies }) => cell(tallies[index]))]),
      ['all', ...takers.map(({ tallies }) => cell(sum(tallies)))],
      ['tokens sent', ...takers.map(({ tallies }) => sum(tallies).tokens.toLocaleString('en-US'))],
    ],
  };
}

function cell({ exact, refused, wrong }) {
  if (exact + refused + wrong === 0) return '';
  return `${exact} / ${refused} / ${wrong > 0 ? `**${wrong}**` : 0}`;
}
