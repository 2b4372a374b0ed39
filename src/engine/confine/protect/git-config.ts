/**
 * Finds the paths in a Git configuration from which Git runs programs or reads more configuration: the directory of
 * hooks, the file system monitor and includes.
 */

/**
 * Paths as they are written there. Relative ones start at the worktree, `include`s at the directory of the
 * configuration, and worktrees at Git's directory.
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
/** A piece of a value: in quotes nothing begins a comment, and a backslash at the end of a line continues it. */
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

/** The program of a command line, if a path names it. `true` and programs on PATH are not in the worktree. */
function programIn(command: string): string[] {
  const [, quoted, plain] = /^\s*(?:["']([^"']+)["']|(\S+))/.exec(command) ?? [];
  const program = quoted ?? plain;
  return program?.includes('/') ? [program] : [];
}

/** Husky names `.husky/_`, whose scripts run the ones in `.husky`: protect all of them. */
function hooksHome(path: string): string {
  return path.replace(/\/_\/?$/, '');
}
