/** What execute_command answers: stdout with how the command ended, then stderr. */
import { endLine } from '../../display/end-line.ts';
import { type RunResult, shellExitCode } from '../../engine/index.ts';
import { type ResultOutcome, text } from '../dialect.ts';
import { howEnded } from '../results/how-ended.ts';

export function runOutcome(result: RunResult, timeout: number): ResultOutcome {
  const footer = [
    result.stdoutTruncated ? '[stdout truncated at 512 KB]' : '',
    result.timedOut ? `[timed out after ${timeout} s]` : '',
    result.endedBy === 'too-many-processes' ? '[ended: too many processes]' : '',
    result.endedBy === 'too-much-memory' ? '[ended: too much memory]' : '',
    `[exit code: ${shellExitCode(result)}]`,
  ].filter((line) => line !== '');
  const content = [text(`${endLine(result.stdout || '(no output)')}${footer.join('\n')}`)];
  if (result.stderr !== '') {
    const notice = result.stderrTruncated ? '[stderr truncated at 512 KB]' : '';
    content.push(text(`[stderr]\n${notice ? endLine(result.stderr) + notice : result.stderr}`));
  }
  const kind = result.endedBy === 'itself' ? 'exit-code' : result.endedBy;
  if (kind === 'exit-code' && shellExitCode(result) === 0) return { result: { content } };
  return { result: { content, isError: true }, failure: { kind, sentence: howEnded(result, timeout) } };
}
