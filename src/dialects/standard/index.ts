/** standard: Cofferdam's own dialect, a drop-in for the official filesystem server. */
import type { Dialect } from '../dialect.ts';
import { failed } from './failures.ts';
import { instructions } from './instructions.ts';
import { applyPatch } from './tools/apply_patch.ts';
import { createDirectory } from './tools/create_directory.ts';
import { deleteFile } from './tools/delete_file.ts';
import { directoryTree } from './tools/directory_tree.ts';
import { editFile } from './tools/edit_file.ts';
import { getFileInfo } from './tools/get_file_info.ts';
import { grepFiles } from './tools/grep_files.ts';
import { history } from './tools/history.ts';
import { listAllowedDirectories } from './tools/list_allowed_directories.ts';
import { listDirectory } from './tools/list_directory.ts';
import { listDirectoryWithSizes } from './tools/list_directory_with_sizes.ts';
import { moveFile } from './tools/move_file.ts';
import { readMediaFile } from './tools/read_media_file.ts';
import { readMultipleFiles } from './tools/read_multiple_files.ts';
import { readFile, readTextFile } from './tools/read_text_file.ts';
import { runCommand } from './tools/run_command.ts';
import { searchFiles } from './tools/search_files.ts';
import { showChange } from './tools/show_change.ts';
import { undo } from './tools/undo.ts';
import { writeFile } from './tools/write_file.ts';
import { toolsets } from './toolsets.ts';

export const standard: Dialect = {
  name: 'standard',
  summary: 'a drop-in for the official filesystem server, with search, patches, history and undo',
  tools: [
    readFile,
    readTextFile,
    readMediaFile,
    readMultipleFiles,
    writeFile,
    editFile,
    createDirectory,
    listDirectory,
    listDirectoryWithSizes,
    directoryTree,
    moveFile,
    searchFiles,
    getFileInfo,
    listAllowedDirectories,
    grepFiles,
    applyPatch,
    deleteFile,
    history,
    undo,
    runCommand,
  ],
  toolsets,
  keepsToBudget: true,
  servesResources: true,
  followsClientRoots: true,
  changeView: { show: showChange, undo: 'undo' },
  instructions,
  failed: (facts, tool, context) => failed(facts, tool, context),
};
