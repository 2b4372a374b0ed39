/** Reads the value of an option that takes one of a few words, or a whole number. */
import { anyOf } from '../../../display/any-of.ts';
import { UsageError } from '../../usage-error.ts';

export function choiceOf<Choice extends string>(
  name: string,
  value: unknown,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new UsageError(`--${name} is ${anyOf(choices)}, not '${value}'`);
}

export function wholeNumberOf(name: string, text: string, least: number, most?: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= (most ?? number)) return number;
  const bounds = most === undefined ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`--${name} ${text}: give a number ${bounds}`);
}
