/** replay: the filesystem tools of the protocol's early specification, with replay's extensions. */
import type { Dialect } from '../dialect.ts';
import { replayError } from './failures.ts';
import { createDirectory } from './tools/create_directory.ts';
import { deleteFile } from './tools/delete_file.ts';
import { directoryTree } from './tools/directory_tree.ts';
import { editFile } from './tools/edit_file.ts';
import { editFiles } from './tools/edit_files.ts';
import { executeCommand } from './tools/execute_command.ts';
import { getFileInfo } from './tools/get_file_info.ts';
import { globSearch } from './tools/glob_search.ts';
import { grepFiles } from './tools/grep_files.ts';
import { listAllowedDirectories } from './tools/list_allowed_directories.ts';
import { listDirectory } from './tools/list_directory.ts';
import { moveFile } from './tools/move_file.ts';
import { readFile } from './tools/read_file.ts';
import { readMultipleFiles } from './tools/read_multiple_files.ts';
import { searchFiles } from './tools/search_files.ts';
import { writeFile } from './tools/write_file.ts';

export const replay: Dialect = {
  name: 'replay',
  summary: 'files, edits, search and a shell, with JSON-RPC error codes',
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
    searchFiles,
    grepFiles,
    globSearch,
    executeCommand,
  ],
  failed: (facts) => ({ error: replayError(facts) }),
};
