/** Suggests the name that a user may have meant to type. */
import { nearNames } from '../../engine/index.ts';

/** The nearest name, if it is near enough to be what the user meant. */
function nearest(typed: string, names: readonly string[]): string | undefined {
  return nearNames(typed, names)[0] ?? onlyNameThatBegins(typed.toLowerCase(), names);
}

/** `; did you mean NAME?`, or nothing. */
export function didYouMean(typed: string, names: readonly string[], prefix = ''): string {
  const meant = nearest(typed, names);
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`;
}

/** A suggestion, if there is one, followed by all names: `; did you mean X? The tools are: X, Y`. */
export function namesInstead(typed: string, what: string, names: readonly string[]): string {
  const meant = didYouMean(typed, names);
  return `${meant === '' ? '; the' : `${meant} The`} ${what} are: ${names.join(', ')}`;
}

function onlyNameThatBegins(typed: string, names: readonly string[]): string | undefined {
  const fitting = typed.length < 3 ? [] : names.filter((name) => name.startsWith(typed));
  return fitting.length === 1 ? fitting[0] : undefined;
}
