/** Completion for zsh, which shows the help text of each option. */
import { type Completed, type CompletedCommand, namedCommands, type Vocabulary } from './vocabulary.ts';

export function zshScript(vocabulary: Vocabulary): string {
  const described = namedCommands(vocabulary)
    .map(({ name, help }) => `      ${quoted(`${name}:${help}`)}`)
    .join('\n');
  return `#compdef cofferdam
# Completion of cofferdam for zsh: save this file as _cofferdam in a directory of $fpath.
_cofferdam() {
  local -a commands=(
${described}
  )
  local command=serve at=1 i
  for ((i = 2; i < CURRENT; i++)); do
    if ((\${commands[(I)$words[i]:*]})); then
      command=$words[i] at=$i
      break
    fi
    [[ $words[i] == -* ]] || break
  done
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then _describe -t commands command commands; fi
  words=("\${(@)words[at,-1]}")
  ((CURRENT -= at - 1))
  case $command in
${vocabulary.commands.map(commandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _cofferdam ]]; then _cofferdam "$@"; else compdef _cofferdam cofferdam; fi
`;
}

function commandCase({ name, options, first, others }: CompletedCommand): string {
  const specs = options.map(({ name: option, help, value }) => {
    const described = `[${help.replace(/[[\]\\:]/g, '\\$&')}]`;
    // With the equals sign here, zsh accepts both `--option=value` and `--option value`.
    return quoted(
      value === undefined ? `--${option}${described}` : `--${option}=${described}:value:${action(value)}`,
    );
  });
  const args = [quoted(`1:argument:${action(first)}`), quoted(`*:argument:${action(others)}`)];
  return `    ${name})\n      _arguments \\\n        ${[...specs, ...args].join(' \\\n        ')} ;;`;
}

function action(completed: Completed): string {
  switch (completed.kind) {
    case 'words':
      return `(${completed.words.join(' ')})`;
    case 'list':
      return `_values -s , value ${completed.words.join(' ')}`;
    case 'file':
      return '_files';
    case 'directory':
      return '_files -/';
    case 'free':
      return ' ';
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
