/** What shell_exec answers: the exit code and both streams. */
import { endLine } from '../../display/end-line.ts';
import { type RunResult, shellExitCode } from '../../engine/index.ts';
import { MAX_TEXT_BYTES, textFits } from '../results/result-size.ts';

const STREAM_ROOM = MAX_TEXT_BYTES / 2;
/** How many bytes a control character takes in JSON. */
const BYTES_A_CONTROL = 6;

export async function runText(result: RunResult): Promise<string> {
  return [
    `exit_code: ${shellExitCode(result)}`,
    'stdout:',
    await stream(result.stdout, result.stdoutTruncated, ''),
    'stderr:',
    await stream(result.stderr, result.stderrTruncated, whyEnded(result)),
  ].join('\n');
}

/** The stream as the command printed it, followed by notices on lines of their own. */
async function stream(whole: string, truncated: boolean, note: string): Promise<string> {
  const output = (await textFits(whole, STREAM_ROOM)) ? whole : whole.slice(0, STREAM_ROOM / BYTES_A_CONTROL);
  const cut = output === whole ? '' : '[truncated: control characters make it too long for one answer]';
  const notices = [truncated ? '[truncated at 1 MiB]' : '', cut, note].filter((notice) => notice !== '');
  if (notices.length === 0) return output;
  const printed = output === '' ? '' : endLine(output);
  return printed + notices.join('\n');
}

function whyEnded({ endedBy }: RunResult): string {
  if (endedBy === 'timeout') return '[ended after 30 s]';
  if (endedBy === 'too-much-memory') return '[ended: too much memory]';
  return endedBy === 'too-many-processes' ? '[ended: too many processes]' : '';
}
