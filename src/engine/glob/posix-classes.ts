/** The named character classes of globs and ignore files, such as `[[:alpha:]]`: ASCII in any locale. */

const classes: ReadonlyMap<string, RegExp> = new Map([
  ['alnum', /[A-Za-z0-9]/],
  ['alpha', /[A-Za-z]/],
  ['blank', /[ \t]/],
  ['cntrl', /[\x00-\x1f\x7f]/],
  ['digit', /[0-9]/],
  ['graph', /[\x21-\x7e]/],
  ['lower', /[a-z]/],
  ['print', /[\x20-\x7e]/],
  ['punct', /[!-/:-@[-`{-~]/],
  ['space', /[ \t\n\r]/],
  ['upper', /[A-Z]/],
  ['xdigit', /[0-9A-Fa-f]/],
]);

/** The character codes of a class, or undefined when there is no such class. */
export function membersOfClass(name: string): readonly number[] | undefined {
  const pattern = classes.get(name);
  if (pattern === undefined) return undefined;
  return Array.from({ length: 128 }, (_, code) => code).filter((code) =>
    pattern.test(String.fromCharCode(code)),
  );
}
