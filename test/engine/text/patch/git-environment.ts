/** For a git or patch in this directory that no configuration of the machine changes, and that finds no repository above. */
export function gitEnvironment(directory: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    LC_ALL: 'C',
    GIT_CEILING_DIRECTORIES: directory,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
}
