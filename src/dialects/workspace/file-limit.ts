/** The most bytes that write_file and edit_file leave in a file: 1 MiB. */
export const MAX_FILE_BYTES = 1024 * 1024;
