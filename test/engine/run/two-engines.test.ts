/** Two engines in one process share nothing: each ends only its own commands. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine, EngineFailure } from '../../../src/engine/index.ts';
import { processesWith, uniqueSeconds, waitForProcess } from '../../processes.ts';
import { temporaryDirectory } from '../../tree.ts';
import { failureKind, NO_SANDBOX } from './run-fixture.ts';

describe.each([
  ['without a sandbox', 'off'],
  ['in bubblewrap', 'require'],
] as const)('a command of one of two engines, %s', (_, sandbox) => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let engines: Engine[];

  beforeEach(() => {
    directory = temporaryDirectory();
    const roots = [{ path: directory.path, writable: true }];
    const commands = { sandbox, environment: process.env };
    engines = [new Engine({ roots, commands }), new Engine({ roots, commands })];
  });

  afterEach(async () => {
    for (const engine of engines) await engine.close();
    directory.remove();
  });

  it('keeps running when the other engine closes, and ends with its own', async ({ skip }) => {
    const [own, other] = engines as [Engine, Engine];
    try {
      await other.commands.runShellLine('true');
    } catch (error) {
      if (error instanceof EngineFailure && error.facts.kind === 'no-sandbox') return skip(NO_SANDBOX);
      throw error;
    }
    const seconds = uniqueSeconds();
    const run = failureKind(own.commands.runShellLine(`sleep ${seconds}`, { timeoutMs: 600_000 }));
    await waitForProcess(seconds);
    await other.close();
    expect(processesWith(seconds)).not.toEqual([]);
    await own.close();
    expect(await run).toBe('cancelled');
    expect(processesWith(seconds)).toEqual([]);
  });
});
