/**
 * Cuts an argument list into options, their values and other arguments, as Node's `parseArgs` does without `strict`.
 * Loading `parseArgs` and describing all options to it would take as long as everything else on the command line.
 */
import { flagNamed, flags } from './options/flags.ts';

export type ArgumentToken =
  | { kind: 'option'; name: string; rawName: string; value: string | undefined; inlineValue?: boolean }
  | { kind: 'positional'; value: string }
  | { kind: 'option-terminator' };

export function tokensOf(argv: readonly string[]): ArgumentToken[] {
  const tokens: ArgumentToken[] = [];
  const left = [...argv];
  const take = (name: string, rawName: string) => {
    const value = takesValue(name) ? left.shift() : undefined;
    tokens.push({ kind: 'option', name, rawName, value, ...(value !== undefined && { inlineValue: false }) });
  };
  for (let argument = left.shift(); argument !== undefined; argument = left.shift()) {
    if (argument === '--') {
      tokens.push({ kind: 'option-terminator' });
      for (const value of left) tokens.push({ kind: 'positional', value });
      break;
    }
    const letter = argument.length > 1 && argument[0] === '-' ? argument[1]! : '';
    const equals = argument.includes('=', 3) ? argument.indexOf('=') : -1;
    if (letter === '') tokens.push({ kind: 'positional', value: argument });
    else if (letter !== '-') {
      const name = nameOf(letter);
      if (argument.length === 2) take(name, argument);
      else if (takesValue(name)) {
        const value = argument.slice(2);
        tokens.push({ kind: 'option', name, rawName: `-${letter}`, value, inlineValue: true });
      } else left.unshift(...letters(argument));
    } else if (equals < 0) take(argument.slice(2), argument);
    else {
      const name = argument.slice(2, equals);
      const value = argument.slice(equals + 1);
      tokens.push({ kind: 'option', name, rawName: `--${name}`, value, inlineValue: true });
    }
  }
  return tokens;
}

/** Splits `-abc` into `-a -b -c`. What follows a letter that takes a value is the value. */
function letters(group: string): string[] {
  const each: string[] = [];
  for (let at = 1; at < group.length; at++) {
    if (takesValue(nameOf(group[at]!))) return [...each, `-${group.slice(at)}`];
    each.push(`-${group[at]}`);
  }
  return each;
}

function nameOf(letter: string): string {
  return flags.find(({ short }) => short === letter)?.name ?? letter;
}

function takesValue(name: string): boolean {
  return flagNamed(name)?.value !== undefined;
}
