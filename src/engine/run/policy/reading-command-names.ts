/** The names of the commands that only read, without their policies: a tool's description needs only the names. */

export type ReadingCommandName = (typeof readingCommandNames)[number];

/** In the order in which they are documented. */
export const readingCommandNames = [
  'grep',
  'sed',
  'awk',
  'find',
  'cat',
  'head',
  'tail',
  'wc',
  'sort',
  'uniq',
  'cut',
  'tr',
  'diff',
  'file',
  'stat',
  'ls',
  'du',
  'rg',
] as const;
