/** Completion for bash. It works without the package bash-completion. */
import { type Completed, type CompletedCommand, namedCommands, type Vocabulary } from './vocabulary.ts';

export function bashScript(vocabulary: Vocabulary): string {
  const names = namedCommands(vocabulary).map(({ name }) => name);
  return `# Completion of cofferdam for bash: source this file, or save it as
# ~/.local/share/bash-completion/completions/cofferdam.
_cofferdam() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  # bash splits --option=value at the equals sign.
  if [[ $word == = ]]; then word=
  elif [[ $before == = ]]; then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  local command=serve at=0 i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${names.join('|')}) command=\${COMP_WORDS[i]} at=$i; break ;;
      -*) ;;
      *) break ;;
    esac
  done
  COMPREPLY=()
  case $before in
${valueCases(vocabulary).join('\n')}
  esac
  if [[ $word == -* ]]; then
    case $command in
${vocabulary.commands.map(optionCase).join('\n')}
    esac
    return
  fi
  if ((at == 0 && COMP_CWORD == 1)); then _cofferdam_words '${[...names, 'help', 'version'].join(' ')}'; fi
  case $command:$((COMP_CWORD - at)) in
${vocabulary.commands.map(argumentCases).join('\n')}
  esac
}
_cofferdam_words() {
  local found
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen -W "$1" -- "$word")
}
_cofferdam_list() {
  local found head=
  if [[ $word == *,* ]]; then head=\${word%,*},; fi
  compopt -o nospace 2>/dev/null
  while IFS= read -r found; do COMPREPLY+=("$head$found"); done < <(compgen -W "$1" -- "\${word##*,}")
}
_cofferdam_paths() {
  local found
  compopt -o filenames 2>/dev/null
  while IFS= read -r found; do COMPREPLY+=("$found"); done < <(compgen "$1" -- "$word")
}
complete -F _cofferdam cofferdam
`;
}

/** An option takes the same values in every command. */
function valueCases({ commands }: Vocabulary): string[] {
  const takers = new Map<string, Set<string>>();
  for (const { name, value } of commands.flatMap(({ options }) => options)) {
    if (value === undefined) continue;
    const reply = replyWith(value);
    takers.set(reply, (takers.get(reply) ?? new Set()).add(`--${name}`));
  }
  return [...takers].map(([reply, options]) => `    ${[...options].join('|')}) ${reply}return ;;`);
}

function optionCase({ name, options }: CompletedCommand): string {
  return `      ${name}) _cofferdam_words '${options.map((option) => `--${option.name}`).join(' ')}' ;;`;
}

function argumentCases({ name, first, others }: CompletedCommand): string {
  return `    ${name}:1) ${replyWith(first)};;\n    ${name}:*) ${replyWith(others)};;`;
}

function replyWith(completed: Completed): string {
  switch (completed.kind) {
    case 'words':
      return `_cofferdam_words '${completed.words.join(' ')}'; `;
    case 'list':
      return `_cofferdam_list '${completed.words.join(' ')}'; `;
    case 'file':
      return '_cofferdam_paths -f; ';
    case 'directory':
      return '_cofferdam_paths -d; ';
    case 'free':
      return '';
  }
}
