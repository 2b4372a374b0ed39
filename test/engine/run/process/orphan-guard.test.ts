/** Which commands the guard ends when its pipe closes. A killed server closes it; here `stop` does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { MARK } from '../../../../src/engine/run/process/environment.ts';
import { OrphanGuard } from '../../../../src/engine/run/process/orphan-guard.ts';

function sleeper(mark: string): ChildProcess {
  return spawn('sleep', ['1000'], { env: { ...process.env, [MARK]: mark }, stdio: 'ignore', detached: true });
}

describe('when the server is gone, the guard', () => {
  it('kills a running command', async () => {
    const guard = new OrphanGuard();
    const reports = guard.announce();
    const command = sleeper(guard.newMark());
    reports.started(command.pid!);
    guard.stop();
    expect(await once(command, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('kills a command whose start the server could not report', async () => {
    const guard = new OrphanGuard();
    guard.announce();
    const command = sleeper(guard.newMark());
    guard.stop();
    expect(await once(command, 'exit')).toEqual([null, 'SIGKILL']);
  });

  it('leaves commands of other servers and commands that have ended alone', async () => {
    const [guard, other] = [new OrphanGuard(), new OrphanGuard()];
    const ended = guard.announce();
    const command = sleeper(other.newMark());
    other.announce().started(command.pid!);
    ended.started(command.pid!);
    ended.ended();
    const failed = guard.announce();
    failed.ended();
    const own = guard.announce();
    const marked = sleeper(guard.newMark());
    own.started(marked.pid!);
    guard.stop();
    await once(marked, 'exit');
    expect(command.exitCode ?? command.signalCode).toBe(null);
    other.stop();
    expect(await once(command, 'exit')).toEqual([null, 'SIGKILL']);
  });
});
