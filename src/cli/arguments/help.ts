/** Writes the help texts of the whole program and of each command. */
import { type CommandDescription, type CommandName, commands, UNNAMED } from './commands.ts';
import { type Flag, flagHelp, flags, flagsOf, flagText } from './options/flags.ts';

interface DialectSummary {
  name: string;
  summary: string;
}

const all: readonly CommandDescription[] = commands;

const EXIT_CODES = [
  'Exit codes: 0 done; 1 not done (the call failed, there was nothing to undo, a file changed since);',
  '2 wrong use or cannot start (an unknown option, entry or directory).',
];

export function helpText(dialects: readonly DialectSummary[], byDefault: string): string {
  return [
    'Cofferdam: file tools for an AI agent, behind a wall that holds.',
    '',
    'Usage:',
    ...columns(all.flatMap(usageRows)),
    '',
    'cofferdam help COMMAND says more about one command and lists its options; cofferdam help serve is about',
    'serving directories.',
    '',
    'Options:',
    ...columns(flags.map((flag): [string, string] => [flagText(flag), helpWithCommands(flag)])),
    '',
    'Dialects:',
    ...dialectRows(dialects, byDefault),
    '',
    'DIR:ro makes a directory read-only. The server touches nothing outside the directories.',
    ...EXIT_CODES,
    '',
  ].join('\n');
}

export function commandHelp(
  name: CommandName,
  dialects: readonly DialectSummary[],
  byDefault: string,
): string {
  const command = all.find((each) => each.name === name)!;
  const taken = flagsOf(name);
  const sentence = `${command.help[0]!.toUpperCase()}${command.help.slice(1)}.`;
  return [
    sentence,
    '',
    'Usage:',
    ...command.usage.map((usage) => `  ${usageText(command, usage)}`),
    '',
    ...(command.more ? [...command.more.flatMap((line) => wrapped(line, WIDTH)), ''] : []),
    'Options:',
    ...columns(taken.map((flag): [string, string] => [flagText(flag), flagHelp(flag, name)])),
    '',
    ...(taken.some((flag) => flag.name === 'dialect')
      ? ['Dialects:', ...dialectRows(dialects, byDefault), '']
      : []),
    ...EXIT_CODES,
    '',
  ].join('\n');
}

function usageRows(command: CommandDescription): [string, string][] {
  return command.usage.map((usage, index) => [usageText(command, usage), index === 0 ? command.help : '']);
}

function usageText({ name }: CommandDescription, usage: string): string {
  return name === UNNAMED ? `cofferdam ${usage}` : `cofferdam ${name} ${usage}`.trimEnd();
}

/** The help of an option. If servers do not take it, the commands that do come first. */
function helpWithCommands({ for: fits, help }: Flag): string {
  return fits === 'every command' || fits.includes(UNNAMED) ? help : `${fits.join(', ')}: ${help}`;
}

function dialectRows(dialects: readonly DialectSummary[], byDefault: string): string[] {
  return columns(
    dialects.map(({ name, summary }): [string, string] => [
      name,
      name === byDefault ? `${summary} (the default)` : summary,
    ]),
  );
}

/** The widest line of a help text. */
const WIDTH = 110;

/** Two columns; the right one wraps. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) =>
    wrapped(right, Math.max(WIDTH - width - 4, 30)).map((line, index) =>
      `  ${(index === 0 ? left : '').padEnd(width)}  ${line}`.trimEnd(),
    ),
  );
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
