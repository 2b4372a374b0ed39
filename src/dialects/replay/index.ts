/** replay: the filesystem tools of the protocol's early specification, with replay's extensions. */
import type { Dialect } from '../dialect.ts';
import { replayError } from './failures.ts';
import { createDirectory } from './tools/create_directory.ts';
import { deleteFile } from './tools/delete_file.ts';
import { directoryTree } from './tools/directory_tree.ts';
import { editFile } from './tools/edit_file.ts';
import { editFiles } from './tools/edit_files.ts';
import { getFileInfo } from './tools/get_file_info.ts';
import { listAllowedDirectories } from './tools/list_allowed_directories.ts';
import { listDirectory } from './tools/list_directory.ts';
import { moveFile } from './tools/move_file.ts';
import { readFile } from './tools/read_file.ts';
import { readMultipleFiles } from './tools/read_multiple_files.ts';
import { writeFile } from './tools/write_file.ts';

export const replay: Dialect = {
  name: 'replay',
  summary: 'read, write, list, move, delete and edit, with JSON-RPC error codes',
  tools: [
    readFile,
    readMultipleFiles,
    writeFile,
    createDirectory,
    listDirectory,
    directoryTree,
    moveFile,
    deleteFile,
    getFileInfo,
    listAllowedDirectories,
    editFile,
    editFiles,
  ],
  failed: (facts) => ({ error: replayError(facts) }),
};
