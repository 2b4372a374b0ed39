/** The worst calls of repo. */
import { inputsFor } from './inputs.mjs';

export function repo(site) {
  const { bomb, deepPath } = inputsFor(site);
  return [
    ['list_files', { directory: 'many' }],
    ['list_files', { directory: '.', max_depth: 10 }],
    ['list_files', { directory: 'ruled' }],
    ['read_file', { path: deepPath }],
    ['list_files', { directory: '.', pattern: `**/${bomb}*` }],
    ['read_file', { path: 'many/entrie-1.txd' }],
    ['read_file', { path: 'megabyte.txt', max_bytes: 1_000_000 }],
    ['search_files', { pattern: 'line', max_results: 1000, context_lines: 10 }],
    ['search_files', { pattern: 'a{256}'.repeat(680), is_regex: true }],
    ['get_repo_overview', { max_depth: 5 }],
  ];
}
