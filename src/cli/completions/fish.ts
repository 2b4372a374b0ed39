/** Completion for fish, which shows the help text of each option. */
import {
  type Completed,
  type CompletedCommand,
  namedCommands,
  unnamedCommand,
  type Vocabulary,
} from './vocabulary.ts';

export function fishScript(vocabulary: Vocabulary): string {
  const named = namedCommands(vocabulary);
  const names = named.map(({ name }) => name).join(' ');
  return `# Completion of cofferdam for fish: save this file as ~/.config/fish/completions/cofferdam.fish.
complete -c cofferdam -f
${named.map(({ name, help }) => `complete -c cofferdam -n __fish_use_subcommand -a ${name} -d ${quoted(help)}`).join('\n')}
${linesOf(unnamedCommand(vocabulary), `not __fish_seen_subcommand_from ${names}`)}
${named.map((command) => linesOf(command, `__fish_seen_subcommand_from ${command.name}`)).join('\n')}
`;
}

function linesOf({ options, first, others }: CompletedCommand, condition: string): string {
  const start = `complete -c cofferdam -n ${quoted(condition)}`;
  const lines = options.map(
    ({ name, short, help, value }) =>
      `${start} -l ${name}${short === undefined ? '' : ` -s ${short}`}${valueTaken(value)} -d ${quoted(help)}`,
  );
  const candidates = new Set([first, others].map(argument).filter((each) => each !== ''));
  return [...lines, ...[...candidates].map((each) => `${start} ${each}`)].join('\n');
}

function valueTaken(value: Completed | undefined): string {
  if (value === undefined) return '';
  return value.kind === 'file' ? ' -r -F' : ` -x${value.kind === 'free' ? '' : ` ${argument(value)}`}`;
}

function argument(completed: Completed): string {
  switch (completed.kind) {
    case 'words':
      return `-a ${quoted(completed.words.join(' '))}`;
    case 'list':
      return `-a ${quoted(`(__fish_complete_list , 'printf %s\\\\n ${completed.words.join(' ')}')`)}`;
    case 'file':
      return '-F';
    case 'directory':
      return `-a ${quoted('(__fish_complete_directories)')}`;
    case 'free':
      return '';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
