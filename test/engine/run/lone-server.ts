/** A process of its own that runs one shell line, for tests that end it from outside. */

import { writeSync } from 'node:fs';
import { Wall } from '../../../src/engine/confine/wall.ts';
import { Commands } from '../../../src/engine/run/commands.ts';
import type { SandboxMode } from '../../../src/engine/run/sandbox.ts';

const [root, sandbox, line] = process.argv.slice(2) as [string, SandboxMode, string];
const wall = new Wall([{ path: root, writable: true }]);
const commands = await Commands.open({ wall, sandbox, allowNet: false, environment: process.env });
const result = await commands.shell(line, { timeoutMs: 20_000 });
writeSync(1, JSON.stringify(result));
commands.close();
