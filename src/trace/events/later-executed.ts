/** Recognizes files that other programs run, or take commands from, without asking the user each time. */

export const LATER_EXECUTED = 'later-executed';

/** Names of such files, in any directory. */
const NAMES: ReadonlySet<string> = new Set([
  '.envrc',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.gitattributes',
  '.gitmodules',
  '.pre-commit-config.yaml',
  '.mcp.json',
  '.bashrc',
  '.bash_profile',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.gitconfig',
  'package.json',
  'binding.gyp',
  'makefile',
  'gnumakefile',
  'justfile',
  'taskfile.yml',
  'rakefile',
  'gemfile',
  'setup.py',
  'conftest.py',
  'sitecustomize.py',
  'build.rs',
  'build.gradle',
  'build.gradle.kts',
  'cmakelists.txt',
  'dockerfile',
  'jenkinsfile',
  '.gitlab-ci.yml',
]);

/** Directories in which all files are such files, at any depth. */
const DIRECTORIES: readonly string[] = [
  '.git',
  '.husky',
  '.githooks',
  '.vscode',
  '.idea',
  '.devcontainer',
  '.cursor',
  '.claude',
  '.github/workflows',
  '.circleci',
  '.cargo',
  '.direnv',
  'node_modules/.bin',
];

export function isLaterExecuted(path: string): boolean {
  const below = path.toLowerCase();
  if (NAMES.has(below.slice(below.lastIndexOf('/') + 1))) return true;
  return DIRECTORIES.some((directory) => below.includes(`/${directory}/`));
}
