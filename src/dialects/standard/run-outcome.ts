/** What run_command answers: output and how the command ended. */
import { type RunResult, shellExitCode } from '../../engine/index.ts';
import { budgetOf, grouped } from '../budget.ts';
import { type ResultOutcome, type ToolContext, text } from '../dialect.ts';

export function runOutcome(result: RunResult, timeout: number, context: ToolContext): ResultOutcome {
  const { stdout, stderr, timedOut, endedBy } = result;
  const output = [stdout, stderr].filter((each) => each !== '').join(stdout.endsWith('\n') ? '' : '\n');
  const exitCode = shellExitCode(result);
  const ends = timedOut
    ? `timed out after ${timeout} s`
    : endedBy === 'itself'
      ? `exit code ${exitCode}`
      : endedBy;
  const answer = `${cutInTheMiddle(output, budgetOf(context))}[${ends}]`;
  if (exitCode === 0 && endedBy === 'itself') return { result: { content: [text(answer)] } };
  const kind = endedBy === 'itself' ? 'exit-code' : endedBy;
  return { result: { content: [text(answer)], isError: true }, failure: { kind, sentence: ends } };
}

/** The start and the end of an output say most: what is too long loses its middle. */
function cutInTheMiddle(output: string, bytes: number): string {
  const ended = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  if (Buffer.byteLength(ended) <= bytes) return ended;
  const lines = ended.split('\n');
  let [first, last, room] = [0, lines.length, bytes];
  while (first < last) {
    const next = first <= lines.length - last ? lines[first++]! : lines[--last]!;
    room -= Buffer.byteLength(next) + 1;
    if (room < 0) break;
  }
  return [...lines.slice(0, first), `[${grouped(last - first)} lines left out]`, ...lines.slice(last)].join(
    '\n',
  );
}
