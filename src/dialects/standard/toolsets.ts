/** The tools that each value of `--toolset` offers. */

export const toolsets = {
  read: [
    'read_file',
    'read_text_file',
    'read_media_file',
    'read_multiple_files',
    'list_directory',
    'list_directory_with_sizes',
    'list_allowed_directories',
    'directory_tree',
    'get_file_info',
  ],
  search: ['search_files', 'grep_files'],
  edit: [
    'write_file',
    'edit_file',
    'apply_patch',
    'create_directory',
    'move_file',
    'delete_file',
    'history',
    'undo',
    'run_command',
  ],
} as const;
