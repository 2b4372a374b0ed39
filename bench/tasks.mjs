/** Ten tasks of an agent through Cofferdam and other servers: whether each was done, in how many calls and tokens. */
import { join } from 'node:path';
import { Server } from './server.mjs';
import { absent, figure } from './table.mjs';
import { cofferdam, cofferdamWithCommands } from './tasks/agents/cofferdam.mjs';
import { commander } from './tasks/agents/commander.mjs';
import { fast } from './tasks/agents/fast.mjs';
import { official } from './tasks/agents/official.mjs';
import { shtse8 } from './tasks/agents/shtse8.mjs';
import { CLIENT_TOKENS, Conversation, tokensOf } from './tasks/conversation.mjs';
import { scenes } from './tasks/scenes.mjs';

const AGENTS = { official, commander, fast, shtse8 };
/** The operator's settings that keep the secrets from the agent. */
const FLAGS = ['--deny', 'secrets'];

export const tasks = {
  name: 'tasks',
  about: 'ten tasks of an agent, scripted for each server: done or not, calls and tokens',
  quick: false,
  async run(bench) {
    const servers = [
      ours(bench, 'Cofferdam', cofferdam, []),
      ours(bench, 'Cofferdam --allow-run', cofferdamWithCommands, ['--allow-run']),
    ];
    for (const [key, agent] of Object.entries(AGENTS)) servers.push(await theirs(bench, key, agent));
    for (const server of servers) {
      if (!server.launch) continue;
      server.results = [];
      for (const scene of scenes) server.results.push(await attempt(bench, server, scene));
    }
    const done = servers[0].results.filter(({ problem }) => !problem).length;
    return {
      rows: [
        figure({
          what: 'tasks done',
          ours: done,
          unit: 'tasks',
          budget: { atLeast: scenes.length, of: 'ours' },
        }),
        ...servers.filter(({ why }) => why).map(({ name, why }) => absent('tasks', why, name)),
      ],
      tables: [table(servers)],
      readme: { tasks: table(servers, READ_ME) },
    };
  },
};

/** The rows that README.md shows. */
const READ_ME = ['rename', 'middle', 'uses', 'patch', 'undo'];

function ours(bench, name, agent, flags) {
  const key = name.replaceAll(/\W+/g, '-');
  const state = bench.folder(`tasks-state-${key}`);
  const launch = ({ folder }) =>
    bench.cofferdam(folder, { dialect: 'standard', flags: ['--state', state, ...FLAGS, ...flags] });
  return { key, name, agent, launch };
}

async function theirs(bench, key, agent) {
  const { name, launch, why } = await bench.peer(key);
  const home = bench.folder(`tasks-home-${key}`);
  return {
    key,
    name,
    agent,
    why,
    launch: launch && (({ folder }) => launch({ folder, home, env: agent.env })),
  };
}

/** Runs one task through one server, in a directory of its own. */
async function attempt(bench, { key, name, agent, launch }, scene) {
  if (!agent[scene.key]) return { problem: 'there is no tool for it' };
  bench.say(`${name}: ${scene.title}`);
  const folder = bench.folder(join(`tasks-${key}`, scene.key, 'project'));
  const facts = { folder, path: (below) => join(folder, below), ...scene.prepare(folder) };
  let server;
  try {
    server = await Server.open(launch({ folder }));
    const list = await server.tools();
    const tools = tokensOf(Buffer.byteLength(JSON.stringify(list)));
    if (agent.needs && !list.some((tool) => tool.name === agent.needs)) {
      return { problem: `${agent.needs} is not offered here`, tools };
    }
    for (const change of facts.changes ?? []) {
      await agent.change(new Conversation(server), { ...facts, ...change });
    }
    const conversation = new Conversation(server);
    await agent[scene.key](conversation, facts);
    const { calls, bytes, tokens, longestTokens } = conversation;
    return { problem: scene.problem(facts, conversation), tools, calls, bytes, tokens, longestTokens };
  } catch (error) {
    return { problem: `failed: ${error.message.split('\n')[0]}` };
  } finally {
    server?.stop();
  }
}

function table(servers, only) {
  const shown = scenes.filter(({ key }) => !only || only.includes(key));
  const tools = (server) => {
    const known = server.results?.find((result) => result.tools);
    return known ? `${grouped(known.tools)} tokens` : '';
  };
  return {
    title: [
      'A cell holds calls and tokens (bytes sent and received, divided by four) until the task was done, as a look at',
      `the disk or at the answers shows. † An answer has more than ${grouped(CLIENT_TOKENS)} tokens, and common`,
      'clients would not pass it on to the model.',
    ].join(' '),
    head: ['task', ...servers.map(({ name }) => name)],
    lines: [
      ...shown.map((scene) => [
        scene.title,
        ...servers.map(({ results }) => (results ? cell(results[scenes.indexOf(scene)]) : 'not installed')),
      ]),
      ['tools/list, once', ...servers.map(tools)],
      ...(only ? [] : [['done', ...servers.map(({ results }) => doneCount(results))]]),
    ],
  };
}

function cell({ problem, calls, tokens, longestTokens }) {
  const cost = calls ? `${calls} ${calls === 1 ? 'call' : 'calls'}, ${grouped(tokens)} tokens` : '';
  if (problem) return `**not done**: ${problem}${cost && ` (${cost})`}`;
  return `${cost}${longestTokens > CLIENT_TOKENS ? ' †' : ''}`;
}

function doneCount(results) {
  return results ? `${results.filter(({ problem }) => !problem).length} of ${results.length}` : '';
}

function grouped(number) {
  return number.toLocaleString('en-US');
}
