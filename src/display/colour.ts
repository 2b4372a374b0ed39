/** Colours for a terminal. */

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

export type Colour = keyof typeof CODES;

/** Colours a text, or returns it unchanged when colours are not wanted. */
export type Paint = (text: string, colour: Colour) => string;

export const plainPaint: Paint = (text) => text;

export const paint: Paint = (text, colour) => `\x1b[${CODES[colour]}m${text}\x1b[0m`;

/** Follows the environment variables (no-color.org), or else whether the output is a terminal. */
export function wantsColour(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== '0';
  return isTerminal && environment.TERM !== 'dumb';
}

/** Colours a unified diff: removed lines red, added lines green. */
export function paintDiff(diff: string, paint: Paint): string {
  return diff.replace(/^.+$/gm, (line) => {
    if (/^(\+\+\+|---) /.test(line)) return paint(line, 'bold');
    if (line.startsWith('@@')) return paint(line, 'cyan');
    if (line.startsWith('+')) return paint(line, 'green');
    return line.startsWith('-') ? paint(line, 'red') : line;
  });
}
