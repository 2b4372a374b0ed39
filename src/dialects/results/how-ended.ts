/** How a command ended. `timeout` is in seconds. */
import { type RunResult, shellExitCode } from '../../engine/index.ts';

export function howEnded(result: RunResult, timeout: number): string {
  if (result.timedOut) return `timed out after ${timeout} s`;
  return result.endedBy === 'itself' ? `exit code ${shellExitCode(result)}` : result.endedBy;
}
