/** Colours for a terminal. */

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

/** Paints a text, or leaves it as it is where nobody wants colours. */
export type Paint = (text: string, colour: keyof typeof CODES) => string;

export const plainPaint: Paint = (text) => text;

export const paint: Paint = (text, colour) => `\x1b[${CODES[colour]}m${text}\x1b[0m`;

/** What a program is asked for by its surroundings (no-color.org), or else by whether a person reads it. */
export function wantsColour(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== '0';
  return isTerminal && environment.TERM !== 'dumb';
}

/** The lines of a unified diff: what goes in red, what comes in green. */
export function paintDiff(diff: string, paint: Paint): string {
  return diff.replace(/^.+$/gm, (line) => {
    if (/^(\+\+\+|---) /.test(line)) return paint(line, 'bold');
    if (line.startsWith('@@')) return paint(line, 'cyan');
    if (line.startsWith('+')) return paint(line, 'green');
    return line.startsWith('-') ? paint(line, 'red') : line;
  });
}
