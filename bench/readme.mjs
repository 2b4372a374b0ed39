/** Writes tables into the marked blocks of a Markdown file, and names the run that each comes from. */
import { readFileSync, writeFileSync } from 'node:fs';
import { plainTable } from './table.mjs';

/** `blocks` holds tables, keyed by the name of their block: `<!-- bench:NAME -->` to `<!-- /bench:NAME -->`. */
export function writeBlocks(file, blocks, source) {
  let text = readFileSync(file, 'utf8');
  for (const [name, table] of Object.entries(blocks)) {
    const [from, to] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`];
    const begin = text.indexOf(from);
    const end = text.indexOf(to, begin);
    if (begin < 0 || end < 0) throw new Error(`${file} has no block ${from} … ${to}`);
    const block = `${from}\n${plainTable(table)}\n\nMeasured on ${source}\n`;
    text = text.slice(0, begin) + block + text.slice(end);
  }
  writeFileSync(file, text);
}
