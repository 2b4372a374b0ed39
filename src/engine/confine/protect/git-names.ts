/** Names in a repository by which Git finds its configuration and its hooks. */
export const GIT = '.git';
export const CONFIG = 'config';
export const WORKTREE_CONFIG = 'config.worktree';
export const HOOKS = 'hooks';
export const COMMON = 'commondir';
