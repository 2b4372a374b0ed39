/**
 * What a Git configuration names that Git runs or reads as configuration too: its hooks' directory, its file
 * system monitor, its includes.
 */

/**
 * Paths as they are written there: relative ones start at the worktree, `include`s at the configuration's directory,
 * worktrees at Git's.
 */
export interface NamedPaths {
  hooks: string[];
  worktrees: string[];
  includes: string[];
}

const BLANK = /\s*/y;
const COMMENT = /[#;][^\n]*/y;
const SECTION = /\[\s*([\w.-]+)(?:[ \t]+"(?:[^"\\\n]|\\.)*")?\s*\]/y;
const KEY = /([A-Za-z][\w-]*)[ \t]*(=?)[ \t]*/y;
const REST_OF_LINE = /[^\n]*/y;
/** A piece of a value: in quotes nothing begins a comment, and a backslash at its end continues the line. */
const PIECE = /"((?:[^"\\\n]|\\[\s\S])*)"?|((?:[^"\\\n#;]|\\\r?\n|\\[\s\S])+)/y;

export function pathsNamedIn(config: string): NamedPaths {
  const named: NamedPaths = { hooks: [], worktrees: [], includes: [] };
  for (const [key, value] of settingsIn(config)) {
    if (key === 'core.hookspath') named.hooks.push(hooksHome(value));
    if (key === 'core.fsmonitor') named.hooks.push(...programIn(value));
    if (key === 'core.worktree') named.worktrees.push(value);
    if (key === 'include.path' || key === 'includeif.path') named.includes.push(value);
  }
  return named;
}

/** Each setting as `section.key`, in lower case, with its value as Git reads it. */
function settingsIn(config: string): [key: string, value: string][] {
  const settings: [string, string][] = [];
  let section = '';
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const taken = pattern.exec(config);
    if (taken) at = pattern.lastIndex;
    return taken;
  };
  while (at < config.length) {
    take(BLANK);
    const header = take(SECTION);
    if (header) {
      section = header[1]!.toLowerCase();
      continue;
    }
    const setting = take(KEY);
    if (setting?.[2] === '=') {
      let value = '';
      for (let piece = take(PIECE); piece; piece = take(PIECE)) {
        value += piece[1] === undefined ? unescaped(piece[2]!) : unescaped(piece[1]);
      }
      settings.push([`${section}.${setting[1]!.toLowerCase()}`, value.trim()]);
    }
    take(COMMENT);
    if (!setting) take(REST_OF_LINE);
  }
  return settings;
}

function unescaped(text: string): string {
  return text.replace(/\\(?:\r?\n|([\s\S]))/g, (_, one: string | undefined) => one ?? '');
}

/** The program of a command line, where it is named by a path: `true` and programs on PATH are none of the worktree's. */
function programIn(command: string): string[] {
  const [, quoted, plain] = /^\s*(?:["']([^"']+)["']|(\S+))/.exec(command) ?? [];
  const program = quoted ?? plain;
  return program?.includes('/') ? [program] : [];
}

/** Husky names `.husky/_`, whose scripts run those beside it. */
function hooksHome(path: string): string {
  return path.replace(/\/_\/?$/, '');
}
