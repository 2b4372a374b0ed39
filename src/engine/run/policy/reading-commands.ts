/** The commands that only read, each with its policy. */

import { awk } from './commands/awk.ts';
import { cat } from './commands/cat.ts';
import { cut } from './commands/cut.ts';
import { diff } from './commands/diff.ts';
import { du } from './commands/du.ts';
import { file } from './commands/file.ts';
import { find } from './commands/find.ts';
import { grep } from './commands/grep.ts';
import { head } from './commands/head.ts';
import { ls } from './commands/ls.ts';
import { rg } from './commands/rg.ts';
import { sed } from './commands/sed.ts';
import { sort } from './commands/sort.ts';
import { stat } from './commands/stat.ts';
import { tail } from './commands/tail.ts';
import { tr } from './commands/tr.ts';
import { uniq } from './commands/uniq.ts';
import { wc } from './commands/wc.ts';
import type { CommandPolicy } from './declaration.ts';
import type { ReadingCommandName } from './reading-command-names.ts';

/** This does not compile unless each name has a policy. */
const policies: Readonly<Record<ReadingCommandName, CommandPolicy>> = {
  grep,
  sed,
  awk,
  find,
  cat,
  head,
  tail,
  wc,
  sort,
  uniq,
  cut,
  tr,
  diff,
  file,
  stat,
  ls,
  du,
  rg,
};

export const readingCommands: ReadonlyMap<string, CommandPolicy> = new Map(Object.entries(policies));
