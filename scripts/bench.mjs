/**
 * Measures the built program against the tools and servers that people use instead, as ratios in one run, and prints
 * one Markdown table. It judges the ratios but does not fail: the exit code is 0 whatever they are.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endAllChildren } from '../bench/children.mjs';
import { commands } from '../bench/commands.mjs';
import { content } from '../bench/content.mjs';
import { edits } from '../bench/edits.mjs';
import { fleet } from '../bench/fleet.mjs';
import { scratchFolder } from '../bench/folders.mjs';
import { foreign } from '../bench/foreign.mjs';
import { journal } from '../bench/journal.mjs';
import { lines } from '../bench/lines.mjs';
import { http } from '../bench/load.mjs';
import { names } from '../bench/names.mjs';
import { peers } from '../bench/peer-calls.mjs';
import { fetchPeer } from '../bench/peers.mjs';
import { writeBlocks } from '../bench/readme.mjs';
import { reads } from '../bench/reads.mjs';
import { stalls } from '../bench/stalls.mjs';
import { start } from '../bench/start.mjs';
import { absent, markdown, plainTable } from '../bench/table.mjs';
import { tasks } from '../bench/tasks.mjs';
import { tools } from '../bench/tools.mjs';
import { largeTree, smallTree } from '../bench/tree.mjs';
import { install, node, root } from './setup.mjs';

const PARTS = [
  start,
  reads,
  content,
  foreign,
  names,
  lines,
  journal,
  fleet,
  stalls,
  commands,
  tools,
  http,
  peers,
  tasks,
  edits,
];
const ROUNDS = 7;
const QUICK_ROUNDS = 3;

const options = readOptions();
/** The load that other programs cause. It is read first, because the benchmark is a load itself. */
const [loadBefore] = loadavg();
process.once('exit', endAllChildren);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(130));

if (options.build) {
  install();
  node('build', ['scripts/build.mjs'], { stdio: ['ignore', 2, 2] });
}
const bench = benchFor(options);
const rows = [];
const tables = [];
/** The tables that README.md shows, keyed by the name of their block. */
const readme = {};
for (const part of options.parts) {
  bench.say(`\n> ${part.name}: ${part.about}`);
  const result = await measured(part);
  for (const row of result.rows) rows.push({ part: part.name, ...row });
  tables.push(...result.tables);
  Object.assign(readme, result.readme);
}
const machine = machineText();
console.log([machine, markdown(rows), ...tables.map(plainTable), verdict(rows)].join('\n\n'));
if (options.readme) {
  const day = new Date().toISOString().slice(0, 10);
  writeBlocks(join(root, 'README.md'), readme, `${day}, ${systemText()}`);
}
if (options.json) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const when = new Date().toISOString();
  writeFileSync(options.json, `${JSON.stringify({ version, when, machine, rows }, null, 2)}\n`);
}

/** The rows of a part, and its own tables if it has any. A part that cannot be measured gets a row that says why. */
async function measured(part) {
  try {
    const result = await part.run(bench);
    return Array.isArray(result) ? { rows: result, tables: [] } : result;
  } catch (error) {
    return { rows: [absent(part.about, `not measured: ${error.message}`)], tables: [] };
  } finally {
    endAllChildren();
  }
}

/** What the parts work with: the program, folders, peers and the tree, each prepared when first needed. */
function benchFor({ quick, rounds }) {
  const scratch = scratchFolder();
  const dist = join(root, 'dist');
  const program = join(dist, 'cofferdam.cjs');
  const say = (line) => console.error(line);
  const fetched = new Map();
  let tree;
  return {
    root,
    dist,
    program,
    quick,
    rounds,
    say,
    /** The command line that starts our server. */
    cofferdam(folder, { dialect = 'replay', flags = [], program: other = program } = {}) {
      return { command: process.execPath, args: [other, '--dialect', dialect, ...flags, folder] };
    },
    folder(name) {
      const path = join(scratch, name);
      mkdirSync(path, { recursive: true });
      return path;
    },
    ripgrep,
    peer(key) {
      if (!fetched.has(key)) fetched.set(key, fetchPeer(key, ripgrep(), say));
      return fetched.get(key);
    },
    tree() {
      tree ??= quick ? smallTree(join(root, 'node_modules')) : largeTree(say);
      return tree;
    },
  };
}

/** The path of the npm package's program; undefined when it is not installed. */
function ripgrep() {
  try {
    const beside = createRequire(createRequire(import.meta.url).resolve('@vscode/ripgrep'));
    return beside.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
  } catch {
    return undefined;
  }
}

function systemText() {
  const [{ model }] = cpus();
  return `${type()} ${release().split('.', 2).join('.')}, ${cpus().length} × ${model.trim()}, Node ${process.versions.node}.`;
}

function machineText() {
  const busy = loadBefore > cpus().length / 2 ? ' — BUSY: expect the ratios to be off' : '';
  return [
    systemText(),
    `Load ${loadBefore.toFixed(1)} before${busy}.`,
    `Ratios are of the best of ${options.rounds} rounds or more; "median" is the median of the rounds' own ratios.`,
  ].join(' ');
}

function verdict(all) {
  const judged = all.filter(({ within }) => within !== undefined);
  const over = judged.filter(({ within }) => !within);
  const differs = all.filter(({ note }) => note?.startsWith('NOT THE SAME'));
  const wrong = differs.length > 0 ? `; ${differs.length} answers differ from the reference's` : '';
  return `${judged.length - over.length} of ${judged.length} budgets kept${wrong}.`;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      rounds: { type: 'string' },
      json: { type: 'string' },
      readme: { type: 'boolean', default: false },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) usage(0);
  const { quick, only } = values;
  const unknown = only?.find((name) => !PARTS.some((part) => part.name === name));
  if (unknown !== undefined) usage(2, `there is no part ${unknown}`);
  const rounds = Number(values.rounds ?? (quick ? QUICK_ROUNDS : ROUNDS));
  if (!Number.isInteger(rounds) || rounds < 1) usage(2, '--rounds takes a number from 1');
  const build = !values['no-build'];
  if (!build && !existsSync(join(root, 'dist/cofferdam.cjs'))) usage(2, '--no-build, and nothing is built');
  const parts = PARTS.filter((part) => (only ? only.includes(part.name) : part.quick || !quick));
  return { quick, rounds, build, parts, json: values.json, readme: values.readme };
}

function usage(code, problem) {
  const text = [
    ...(problem ? [`bench: ${problem}`, ''] : []),
    'npm run bench -- [--quick] [--only PART]… [--rounds N] [--json FILE] [--readme] [--no-build]',
    '',
    ...PARTS.map(({ name, about }) => `  ${name.padEnd(9)} ${about}`),
  ];
  (code === 0 ? console.log : console.error)(text.join('\n'));
  process.exit(code);
}
