/** A separate process that runs one command, for tests that kill it from outside. */

import { writeSync } from 'node:fs';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { Commands } from '../../../src/engine/run/commands.ts';
import type { SandboxMode } from '../../../src/engine/run/sandbox/why-no-sandbox.ts';

const [root, sandbox, door, command, ...args] = process.argv.slice(2) as [
  string,
  SandboxMode,
  'shell' | 'read',
  string,
];
const wall = new Wall([{ path: root, writable: true }]);
const commands = await Commands.open({ wall, sandbox, allowNet: false, environment: process.env });
const call = { timeoutMs: 120_000 };
const run =
  door === 'read' ? commands.runReadingCommand(command, args, call) : commands.runShellLine(command, call);
writeSync(1, JSON.stringify(await run));
commands.close();
