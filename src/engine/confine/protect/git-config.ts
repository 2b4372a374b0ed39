/** What a Git configuration names that Git runs or reads as configuration too: its hooks' directory, its includes. */

/** Paths as they are written there: relative ones start at the worktree, `include`s at the configuration's directory. */
export interface NamedPaths {
  hooks: string[];
  includes: string[];
}

const SECTION = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/;
const SETTING = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*?)\s*$/;

export function pathsNamedIn(config: string): NamedPaths {
  const named: NamedPaths = { hooks: [], includes: [] };
  let section = '';
  for (const line of config.split('\n')) {
    const header = SECTION.exec(line);
    if (header) section = header[1]!.toLowerCase();
    const setting = SETTING.exec(header ? line.slice(header[0].length) : line);
    if (!setting) continue;
    const key = `${section}.${setting[1]!.toLowerCase()}`;
    const value = setting[2]!.replace(/^"(.*)"$/, '$1');
    if (key === 'core.hookspath') named.hooks.push(hooksHome(value));
    if (key === 'include.path' || key === 'includeif.path') named.includes.push(value);
  }
  return named;
}

/** Husky names `.husky/_`, whose scripts run those beside it. */
function hooksHome(path: string): string {
  return path.replace(/\/_\/?$/, '');
}
