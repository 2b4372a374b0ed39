/** The same work through other servers: name search, content search, reads and edits. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTurn, timed } from './measure.mjs';
import { peerNames } from './peers.mjs';
import { smallFiles } from './reads.mjs';
import { Server } from './server.mjs';
import { absent, comparison } from './table.mjs';

const CALL_MS = 60_000;
/** Long enough for one round with a slow peer, short enough not to repeat it. */
const PATIENCE_MS = 8000;
const NAME = 'alendar';
const CONTENT = 'observeNotification';
const READS = 512;
const IN_FLIGHT = 32;
const EDITS = 40;

export const peers = {
  name: 'peers',
  about: 'name search, content search, reads and edits through other servers from npm',
  quick: false,
  async run(bench) {
    const rows = [];
    for (const key of peerNames) {
      const peer = await bench.peer(key);
      if (peer.launch) rows.push(...(await throughPeer(bench, key, peer)));
      else rows.push(absent('other servers', peer.why, peer.name));
    }
    return rows;
  },
};

async function throughPeer(bench, key, peer) {
  const tree = await bench.tree();
  const works = [
    [`names that contain "${NAME}"`, tree.path, nameSearch],
    [`lines with ${CONTENT}`, tree.path, contentSearch],
    [`4 KB reads, ${IN_FLIGHT} in flight`, bench.folder(`peer-reads-${key}`), smallReads],
    [`${EDITS} edits of one file, one by one`, bench.folder(`peer-edits-${key}`), smallEdits],
  ];
  const rows = [];
  for (const [what, folder, work] of works) {
    const row = await side(bench, key, peer, what, folder, work);
    if (row) rows.push(row);
  }
  return rows;
}

/** Measures one kind of work with a fresh pair of servers. The row says what a peer cannot do or does not finish. */
async function side(bench, key, peer, what, folder, work) {
  const home = bench.folder(`home-${key}`);
  const servers = [];
  try {
    const contest = work(peer, folder);
    if (!contest) return undefined;
    bench.say(`${peer.name}: ${what}`);
    const ours = await Server.open(bench.cofferdam(folder));
    servers.push(ours);
    const theirs = await Server.open(peer.launch({ folder, home }));
    servers.push(theirs);
    const note = await contest.check(ours, theirs);
    const turns = { ours: () => contest.ours(ours), theirs: () => contest.theirs(theirs) };
    const times = await inTurn(turns, { rounds: bench.rounds, patience: PATIENCE_MS });
    return comparison({ what, ...times, against: peer.name, rate: contest.rate, note });
  } catch (error) {
    return absent(what, `skipped: ${error.message}`, peer.name);
  } finally {
    for (const server of servers) server.stop();
  }
}

function nameSearch(peer, folder) {
  if (!peer.names) return undefined;
  const ours = (server) => server.call('search_files', { directory: folder, nameContains: NAME });
  return looked(ours, (server) => peer.names(server, folder, NAME, CALL_MS), /\S*alendar[^\s"]*/g);
}

function contentSearch(peer, folder) {
  if (!peer.content) return undefined;
  const ours = (server) =>
    server.call('grep_files', { regex: CONTENT, directory: folder, maxResults: 10_000 });
  return looked(ours, (server) => peer.content(server, folder, CONTENT, CALL_MS));
}

/** Says how much each server found, as well as that can be read from answers of any form. */
function looked(ours, theirs, name) {
  const size = (text) => {
    if (!name) return `${Math.ceil(text.length / 1024)} KB of answer`;
    return `${new Set((text.match(name) ?? []).map((path) => path.slice(path.lastIndexOf('/') + 1))).size} names`;
  };
  return {
    check: async (our, their) => `${size(await ours(our))} against ${size(await theirs(their))}`,
    ours: (server) => timed(() => ours(server)),
    theirs: (server) => timed(() => theirs(server)),
  };
}

function smallReads(peer, folder) {
  if (!peer.read) return undefined;
  const files = smallFiles(folder);
  const path = (index) => files[index % files.length].path;
  const ours = (index) => ['read_file', { path: path(index) }];
  const theirs = (index) => peer.read(path(index), folder);
  const all = (calls) => Array.from({ length: READS }, (_, index) => calls(index));
  const many = async (server, calls) => {
    const { ms, answers } = await server.pipelined(all(calls), IN_FLIGHT, CALL_MS);
    const good = answers.filter((answer) => JSON.stringify(answer).includes('read again and again')).length;
    if (good !== READS) throw new Error(`${READS - good} of ${READS} reads did not give the file`);
    return ms;
  };
  return {
    rate: READS,
    check: async () => `${READS} reads`,
    ours: (server) => many(server, ours),
    theirs: (server) => many(server, theirs),
  };
}

function smallEdits(peer, folder) {
  if (!peer.edit) return undefined;
  const ours = join(folder, 'ours.txt');
  const theirs = join(folder, 'theirs.txt');
  const lines = Array.from({ length: 400 }, (_, index) => `line number ${index} is as it was.`);
  const edited = lines.map((line, index) => (index < EDITS ? changed(line) : line)).join('\n');
  const byOurs = (line) => ['edit_file', { path: ours, edits: [{ oldText: line, newText: changed(line) }] }];
  const byTheirs = (line) => peer.edit(theirs, line, changed(line), folder);
  const all = async (server, file, call) => {
    writeFileSync(file, lines.join('\n'));
    const ms = await timed(async () => {
      for (const line of lines.slice(0, EDITS)) await server.call(...call(line), CALL_MS);
    });
    if (readFileSync(file, 'utf8') !== edited)
      throw new Error('the file is not as it should be after the edits');
    return ms;
  };
  return {
    rate: EDITS,
    check: async () => 'ours flush each edit to the disk',
    ours: (server) => all(server, ours, byOurs),
    theirs: (server) => all(server, theirs, byTheirs),
  };
}

function changed(line) {
  return line.replace('as it was', 'another one');
}
