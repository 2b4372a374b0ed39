/** patch: unified diffs, plain writes and an allowlist of reading commands. */
import type { Dialect } from '../dialect.ts';
import { patchFailed } from './failures.ts';
import { append } from './tools/append.ts';
import { createDirectory } from './tools/create_directory.ts';
import { moveFile } from './tools/move_file.ts';
import { patchApply } from './tools/patch_apply.ts';
import { shellExec } from './tools/shell_exec.ts';
import { writeFile } from './tools/write_file.ts';

export const patch: Dialect = {
  name: 'patch',
  summary: 'unified diffs, append, write, move, and a whitelist of reading commands',
  tools: [patchApply, append, writeFile, createDirectory, moveFile, shellExec],
  failed: patchFailed,
};
