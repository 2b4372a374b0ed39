/** What execute_command answers: stdout with how the command ended, then stderr. */
import { type RunResult, shellExitCode } from '../../engine/index.ts';
import { type ResultOutcome, text } from '../dialect.ts';

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
  return { result: { content, isError: true }, failure: { kind, sentence: endingOf(result, timeout) } };
}

function endingOf(result: RunResult, timeout: number): string {
  if (result.timedOut) return `timed out after ${timeout} s`;
  return result.endedBy === 'itself' ? `exit code ${shellExitCode(result)}` : result.endedBy;
}

function endLine(output: string): string {
  return output.endsWith('\n') ? output : `${output}\n`;
}
