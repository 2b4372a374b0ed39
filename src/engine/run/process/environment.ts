/** The environment of a command: a small fixed set, and nothing of the server's that was not named. */

/** The variable that marks every process of a run, so that it is found wherever it went. */
export const MARK = 'COFFERDAM_RUN';

export interface Surroundings {
  path: string;
  home: string;
  temporary: string;
  mark: string;
  /** Variables that the user asked to pass through, with their values. */
  passed: Readonly<Record<string, string>>;
}

export function commandEnvironment(around: Surroundings): Record<string, string> {
  const locale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';
  return {
    LANG: locale,
    LC_ALL: locale,
    TERM: 'dumb',
    USER: 'user',
    LOGNAME: 'user',
    SHELL: '/bin/sh',
    PATH: around.path,
    HOME: around.home,
    TMPDIR: around.temporary,
    ...around.passed,
    [MARK]: around.mark,
  };
}

/** The values of the variables that are passed through by name; what is not set stays unset. */
export function passedVariables(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
