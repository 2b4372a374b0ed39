/** What a call was asked to do, from the shortened arguments in the trace. */
import { shellWord } from '../../display/shell-word.ts';
import type { PageEvent } from '../wire.ts';
import { plural } from './format.ts';

type Brief = NonNullable<PageEvent['brief']>;

export interface Headline {
  kind: 'command' | 'pattern';
  text: string;
}

/** The arguments, of any dialect, that say what a call searches for; the most informative first. */
const PATTERNS = ['pattern', 'regex', 'nameContains', 'glob', 'globs'] as const;

/** The command line or the pattern of a call that has one. */
export function headline(brief: Brief | undefined): Headline | undefined {
  if (!brief) return undefined;
  const { command, args } = brief;
  if (typeof command === 'string') {
    const words = Array.isArray(args) ? args.map((word) => (word === '…' ? word : shellWord(word))) : [];
    return { kind: 'command', text: [command, ...words].join(' ') };
  }
  for (const name of PATTERNS) {
    const value = brief[name];
    if (typeof value === 'string') return { kind: 'pattern', text: value };
    if (Array.isArray(value)) return { kind: 'pattern', text: value.join(' ') };
  }
  return undefined;
}

/** The size of a text or a list that the trace does not have. */
export function sizeText(size: { characters: number } | { items: number }): string {
  return 'characters' in size ? plural(size.characters, 'character') : plural(size.items, 'item');
}
