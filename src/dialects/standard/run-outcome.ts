/** What run_command answers: the output, and how the command ended. */

import { endLine } from '../../display/end-line.ts';
import { grouped } from '../../display/grouped.ts';
import { firstBytes, lastBytes } from '../../display/truncate-bytes.ts';
import { type RunResult, shellExitCode } from '../../engine/index.ts';
import { type ResultOutcome, type ToolContext, text } from '../dialect.ts';
import { howEnded } from '../results/how-ended.ts';
import { budgetOf } from '../results/token-budget.ts';

export function runOutcome(result: RunResult, timeout: number, context: ToolContext): ResultOutcome {
  const { stdout, stderr, endedBy } = result;
  const output = [stdout, stderr].filter((each) => each !== '').join(stdout.endsWith('\n') ? '' : '\n');
  const exitCode = shellExitCode(result);
  const ends = howEnded(result, timeout);
  const answer = `${cutInTheMiddle(output, budgetOf(context))}[${ends}]`;
  if (exitCode === 0 && endedBy === 'itself') return { result: { content: [text(answer)] } };
  const kind = endedBy === 'itself' ? 'exit-code' : endedBy;
  return { result: { content: [text(answer)], isError: true }, failure: { kind, sentence: ends } };
}

/** Cuts the middle out of an output that is too long: its start and its end say most. */
function cutInTheMiddle(output: string, bytes: number): string {
  const ended = output === '' ? '' : endLine(output);
  if (Buffer.byteLength(ended) <= bytes) return ended;
  const [first, last] = [firstBytes(ended, bytes >> 1), lastBytes(ended, bytes >> 1)];
  const [start, end] = [wholeStart(first), wholeEnd(last)];
  const left = ended.slice(start.length, ended.length - end.length).split('\n').length - 1;
  const what = left > 0 ? `${grouped(left)} lines` : 'a part of the line';
  return `${start}${start.endsWith('\n') ? '' : '\n'}[${what} left out]\n${end}`;
}

/** Drops the partial line at the end, unless there is nothing else. */
function wholeStart(text: string): string {
  const newline = text.lastIndexOf('\n');
  return newline < 0 ? text : text.slice(0, newline + 1);
}

/** Drops the partial line at the start, unless there is nothing else. */
function wholeEnd(text: string): string {
  const newline = text.indexOf('\n');
  return newline < 0 || newline === text.length - 1 ? text : text.slice(newline + 1);
}
