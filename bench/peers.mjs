/** Other servers for the same work: how to fetch, start and call them. None of them is a dependency. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { plainEnvironment } from './children.mjs';
import { isFolderKept, keptFolder, npm } from './folders.mjs';

const MOST = 10_000;
const POLL_MS = 5;
const OWN = join(import.meta.dirname, '../node_modules');

/**
 * Each ability of a peer is a function from a server, its folder and the request to the text of the answer. A peer
 * without a tool for it has no such function. Versions are tried in this order until one installs.
 */
const PEERS = {
  official: {
    package: '@modelcontextprotocol/server-filesystem',
    versions: ['2026.8.31'],
    args: (folder) => [folder],
    names: (server, folder, part, ms) =>
      server.call('search_files', { path: folder, pattern: `**/*${part}*` }, ms),
    read: (path) => ['read_text_file', { path }],
    edit: (path, before, after) => ['edit_file', { path, edits: [{ oldText: before, newText: after }] }],
  },
  commander: {
    package: '@wonderwhy-er/desktop-commander',
    versions: ['0.2.52', '0.2.23'],
    args: () => ['--no-onboarding'],
    prepare: commanderSettings,
    names: (server, folder, part, ms) =>
      commanderSearch(server, { path: folder, pattern: part, searchType: 'files' }, ms),
    content: (server, folder, pattern, ms) =>
      commanderSearch(server, { path: folder, pattern, searchType: 'content', contextLines: 0 }, ms),
    read: (path) => ['read_file', { path }],
    edit: (path, before, after) => ['edit_block', { file_path: path, old_string: before, new_string: after }],
  },
  ripgrep: {
    package: 'mcp-ripgrep',
    versions: ['0.4.0'],
    args: () => [],
    names: (server, folder, part, ms) =>
      server.call('list-files', { path: folder, filePattern: `*${part}*`, includeHidden: true }, ms),
    content: (server, folder, pattern, ms) =>
      server.call('search', { path: folder, pattern, caseSensitive: true, useColors: false }, ms),
  },
  shtse8: {
    package: '@shtse8/filesystem-mcp',
    versions: ['0.5.8'],
    args: () => [],
    content: (server, _folder, pattern, ms) =>
      server.call('search_files', { path: '.', regex: pattern, file_pattern: '**/*' }, ms),
    read: (path, folder) => ['read_content', { paths: [path.slice(folder.length + 1)] }],
    edit: (path, before, after, folder) => [
      'replace_content',
      { paths: [path.slice(folder.length + 1)], operations: [{ search: before, replace: after }] },
    ],
  },
  editor: {
    package: 'filesystem-mcp',
    versions: ['1.3.0'],
    args: (folder) => [folder],
    edit: (path, before, after) => ['str_replace', { path, old_str: before, new_str: after }],
  },
  fast: {
    package: 'fast-filesystem-mcp',
    versions: ['3.5.2'],
    args: (folder) => [folder],
    names: (server, folder, part, ms) =>
      server.call('fast_search_files', { path: folder, pattern: part, max_results: MOST }, ms),
    content: (server, folder, pattern, ms) =>
      server.call('fast_search_code', { path: folder, pattern, max_results: MOST, context_lines: 0 }, ms),
    read: (path) => ['fast_read_file', { path }],
    edit: (path, before, after) => [
      'fast_edit_block',
      { path, old_text: before, new_text: after, backup: false },
    ],
  },
};

export const peerNames = Object.keys(PEERS);

/** A peer that is ready to be launched, or why it is not. `ripgrep` is the program that some of them need. */
export async function fetchPeer(key, ripgrep, say) {
  const peer = PEERS[key];
  const problems = [];
  const isKept = (version) => isFolderKept(folderOf(peer.package, version));
  const kept = peer.versions.filter(isKept);
  for (const version of kept.length > 0 ? kept : peer.versions) {
    try {
      const file = await installed(peer.package, version, say);
      return {
        ...peer,
        name: `${peer.package} ${version}`,
        launch({ folder, home, env: settings }) {
          peer.prepare?.(home, folder);
          const path = [process.env.PATH, ...(ripgrep ? [dirname(ripgrep)] : [])].join(delimiter);
          const env = { ...plainEnvironment, PATH: path, HOME: home, USERPROFILE: home, ...settings };
          return { command: process.execPath, args: [file, ...peer.args(folder)], cwd: folder, env };
        },
      };
    } catch (error) {
      problems.push(`${version}: ${firstLine(error.message)}`);
    }
  }
  return { name: peer.package, why: `does not install (${problems.join('; ')})` };
}

/** The program of a package: from node_modules if the tests use it too, or else fetched. */
async function installed(name, version, say) {
  if (existsSync(join(OWN, name)) && manifestOf(OWN, name).version === version) return programOf(OWN, name);
  const folder = await keptFolder(folderOf(name, version), async (unfinished) => {
    say(`installing ${name} ${version} (once; kept for later runs)`);
    writeFileSync(join(unfinished, 'package.json'), '{"private":true}\n');
    await npm(['install', '--ignore-scripts', `${name}@${version}`], unfinished);
  });
  return programOf(join(folder, 'node_modules'), name);
}

function programOf(modules, name) {
  const { bin } = manifestOf(modules, name);
  const file = join(modules, name, typeof bin === 'string' ? bin : Object.values(bin)[0]);
  if (!existsSync(file)) throw new Error(`${file} is not there`);
  return file;
}

function manifestOf(modules, name) {
  return JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
}

function folderOf(name, version) {
  return `peer-${name.replace('@', '').replace('/', '-')}-${version}`;
}

/** Desktop Commander reports its use over the network unless its settings forbid it. */
function commanderSettings(home, folder) {
  const at = join(home, '.claude-server-commander');
  mkdirSync(at, { recursive: true });
  const settings = { telemetryEnabled: false, allowedDirectories: [folder] };
  writeFileSync(join(at, 'config.json'), JSON.stringify(settings));
}

/** Starts a search and asks for its results until it is over. */
async function commanderSearch(server, search, ms) {
  const until = Date.now() + ms;
  const args = { ...search, ignoreCase: false, includeHidden: true, maxResults: MOST };
  const begun = await server.call('start_search', args, ms);
  const sessionId = /session: (\S+)/.exec(begun)[1];
  for (;;) {
    const text = await server.call('get_more_search_results', { sessionId, length: MOST }, ms);
    if (text.includes('Status: COMPLETED')) return text;
    if (Date.now() > until) throw new Error(`start_search: not over in ${ms / 1000} s`);
    await wait(POLL_MS);
  }
}

function firstLine(message) {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return (lines.find((line) => /notarget|E[A-Z]{4,}/.test(line)) ?? lines[0] ?? '').slice(0, 160);
}
