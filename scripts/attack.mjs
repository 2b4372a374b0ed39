// `npm run attack -- [--seconds N] [--kills N]`: runs the attacks of `npm test` for longer. One process swaps
// directories for links during every operation, and another kills servers while they write.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { install, node, root } from './setup.mjs';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, kills: { type: 'string', default: '200' } },
});
const [seconds, kills] = [values.seconds, values.kills].map(Number);
if (!(seconds > 0) || !Number.isInteger(kills) || kills < 0) {
  console.error('attack: --seconds needs a positive number and --kills a whole one');
  process.exit(2);
}

install();
node('build', ['scripts/build.mjs']);

const directory = mkdtempSync(join(tmpdir(), 'cofferdam-attack-'));
const report = join(directory, 'report');
const tests = [
  'test/engine/confine/attack.test.ts',
  ...(kills > 0 ? ['test/engine/files/crash.test.ts'] : []),
];
console.error(`\n> ${seconds} s of swaps, then ${kills} kills`);
const { status } = spawnSync(
  process.execPath,
  // One after the other: the attacker and its victim need a processor each.
  ['node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism', ...tests],
  {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, COFFERDAM_CAMPAIGN: JSON.stringify({ seconds, kills, report }) },
  },
);

const rows = existsSync(report)
  ? readFileSync(report, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];
rmSync(directory, { recursive: true });
const raids = rows.filter((row) => 'swaps' in row);
const total = raids.reduce(
  (sum, row) => {
    for (const key of Object.keys(sum)) if (key !== 'operation') sum[key] += row[key];
    return sum;
  },
  { operation: 'all', calls: 0, succeeded: 0, refused: 0, escapes: 0, swaps: 0 },
);
print([...raids, total]);
print(rows.filter((row) => 'midway' in row));
process.exit(status ?? 1);

function print(table) {
  if (table.length === 0) return;
  const heads = Object.keys(table[0]);
  const lines = [heads, ...table.map((row) => heads.map((head) => String(row[head])))];
  const widths = heads.map((_, i) => Math.max(...lines.map((cells) => cells[i].length)));
  for (const [i, cells] of lines.entries()) {
    const padded = cells.map((cell, k) => (k === 0 ? cell.padEnd(widths[k]) : cell.padStart(widths[k])));
    console.log(padded.join('  '));
    if (i === 0) console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  }
  console.log();
}
