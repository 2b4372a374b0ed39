/** `cofferdam completions SHELL`: prints the script that completes the command line in that shell. */
import { dialectNames } from '../../dialects/by-name.ts';
import { dialects } from '../../dialects/index.ts';
import { type Shell, shells } from '../arguments/shells.ts';
import { clients } from '../clients/table.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { type Vocabulary, vocabulary } from './vocabulary.ts';
import { zshScript } from './zsh.ts';

const SCRIPTS: Readonly<Record<Shell, (vocabulary: Vocabulary) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export function completionScript(shell: Shell): string {
  const tools = [...new Set(dialects.flatMap((dialect) => dialect.tools.map(({ name }) => name)))].sort();
  return SCRIPTS[shell](
    vocabulary({ dialects: dialectNames, tools, shells, clients: clients.map(({ id }) => id) }),
  );
}
