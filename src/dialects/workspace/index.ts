/** workspace: files in one directory by relative paths, every result a JSON envelope. */
import type { Dialect } from '../dialect.ts';
import { failure } from './envelope.ts';
import { workspaceError } from './failures.ts';
import { deleteFile } from './tools/delete_file.ts';
import { editFile } from './tools/edit_file.ts';
import { listDir } from './tools/list_dir.ts';
import { mkdir } from './tools/mkdir.ts';
import { moveFile } from './tools/move_file.ts';
import { readFile } from './tools/read_file.ts';
import { runCommand } from './tools/run_command.ts';
import { writeFile } from './tools/write_file.ts';

export const workspace: Dialect = {
  name: 'workspace',
  summary: 'one workspace by relative paths; answers and errors as a JSON envelope',
  tools: [listDir, readFile, editFile, writeFile, deleteFile, moveFile, mkdir, runCommand],
  servesOne: true,
  failed: (facts) => ({ result: failure(workspaceError(facts)) }),
};
