/** HTTP under load: runs http.mjs, a program of its own, and reads its figures. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { run } from './children.mjs';
import { absent, figure } from './table.mjs';

const PROGRAM = fileURLToPath(new URL('http.mjs', import.meta.url));
const TIME_MS = 600_000;
/** A line of its output: what, calls per second, p50, p99, errors, ratio to the bare handler, ratio to stdio. */
const ROW = /^(\S.*?) {2,}(\d+) +([\d.]+) +([\d.]+) +(\d+) +([\d.]+) × +([\d.]+) ×$/;
const MEMORY = /^memory: (\d+) MB, after (\d+) more mixed calls (\d+) MB$/m;

export const http = {
  name: 'http',
  about: '64 connections over HTTP, against stdio, a bare handler and the library’s own transports',
  quick: false,
  async run(bench) {
    if (!existsSync(PROGRAM)) return [absent('HTTP under load', 'bench/http.mjs is not here')];
    const options = { cwd: bench.root, keep: true, codes: [0, 1], timeoutMs: TIME_MS };
    const { output } = await run(process.execPath, [PROGRAM, '--program', bench.program], options);
    const lines = output.split('\n').map((line) => ROW.exec(line.trimEnd()));
    const bare = lines.find((line) => line?.[1].endsWith('bare handler'));
    const libraryRate = (kind) => lines.find((line) => line?.[1].endsWith(`library ${kind}`))?.[2];
    const rows = lines.flatMap((line) => [
      ...loadRow(line),
      ...bareRows(line, bare),
      ...libraryRow(line, libraryRate),
    ]);
    const [, before, calls, after] = MEMORY.exec(output) ?? [];
    if (rows.length === 0 || before === undefined) throw new Error(`http.mjs printed no figures: ${output}`);
    const note = `after ${calls} more mixed calls, against before`;
    const figures = { ours: Number(after), theirs: Number(before), unit: 'MB', against: 'itself' };
    return [...rows, figure({ what: 'memory under load', ...figures, note })];
  },
};

/** The same reads against the bare handler: the rate, and the 99th percentile of the time. */
function bareRows(found, bare) {
  if (!found || !bare || found === bare || !/^4 KB reads, HTTP/.test(found[1])) return [];
  const [, what, rate, , p99] = found;
  const [, , bareRate, , bareP99] = bare;
  const against = 'a bare handler that only reads';
  const rates = { ours: Number(rate), theirs: Number(bareRate), unit: '/s' };
  const times = { ours: Number(p99), theirs: Number(bareP99), unit: 'ms' };
  return [
    figure({ what, ...rates, against, budget: { atLeast: 0.8 } }),
    figure({ what: `${what}, p99`, ...times, against, budget: { atMost: 2 } }),
  ];
}

/** The same reads against the protocol library's own transport, which serves nothing but them. */
function libraryRow(found, libraryRate) {
  const [, kind] = /^4 KB reads, HTTP (.*)$/.exec(found?.[1] ?? '') ?? [];
  const theirs = kind && libraryRate(kind);
  if (!theirs) return [];
  const against = 'the library’s own transport';
  return [figure({ what: found[1], ours: Number(found[2]), theirs: Number(theirs), unit: '/s', against })];
}

/** Compares with stdio. The note gives the ratio to the bare handler, which only reads. */
function loadRow(found) {
  if (!found) return [];
  const [, what, rate, p50, p99, errors, ofBare, ofStdio] = found;
  if (!/stdio$|, HTTP /.test(what)) return [];
  const note = `p50 ${p50} ms, p99 ${p99} ms, ${ofBare} × a bare handler that only reads, ${errors} errors`;
  const stdio = Number(rate) / Number(ofStdio);
  return [figure({ what, ours: Number(rate), theirs: stdio, unit: '/s', against: 'stdio', note })];
}
