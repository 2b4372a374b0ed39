/** The environment of a command: a small fixed set, and the variables that the operator passes through. */

/** The variable that marks every process of a run, so that the server finds it even if it left its group and parent. */
export const MARK = 'COFFERDAM_RUN';

export interface EnvironmentParts {
  path: string;
  home: string;
  temporary: string;
  mark: string;
  /** Variables that the operator asked to pass through, with their values. */
  passedVariables: Readonly<Record<string, string>>;
}

export function commandEnvironment(parts: EnvironmentParts): Record<string, string> {
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  return {
    LANG: locale,
    LC_ALL: locale,
    TERM: 'dumb',
    USER: 'user',
    LOGNAME: 'user',
    SHELL: '/bin/sh',
    PATH: parts.path,
    HOME: parts.home,
    TMPDIR: parts.temporary,
    ...parts.passedVariables,
    [MARK]: parts.mark,
  };
}

/** The values of these variables, without those that are not set. */
export function variablesNamed(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) values[name] = value;
  }
  return values;
}
