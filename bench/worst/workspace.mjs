/** The worst calls of workspace. */
import { inputsFor } from './inputs.mjs';

export function workspace(site) {
  const { many, deepPath } = inputsFor(site);
  return [
    ['list_dir', { dir: 'many', maxEntries: 2000 }],
    ['list_dir', { dir: '.', recursive: true, maxEntries: 2000 }],
    ['read_file', { file: 'many/entrie-1.txd' }],
    ['read_file', { file: 'lines.txt' }],
    ['edit_file', { file: 'megabyte.txt', find: 'b', replace: 'd', replaceAll: true }],
    ['write_file', { file: 'many/newest.txt', content: 'x' }],
    ['delete_file', { path: 'many/nosuch' }],
    ['read_file', Object.fromEntries(many(10_000, (i) => [`field${i}`, i]))],
    // At every scale: nearly as many fields as are accepted.
    ['read_file', Object.fromEntries(Array.from({ length: 4900 }, (_, i) => [`field${i}`, i]))],
    // At every scale: too many fields, refused before anything goes through them.
    ['read_file', Object.fromEntries(Array.from({ length: 200_000 }, (_, i) => [`field${i}`, i]))],
    ['mkdir', { dir: 'many/made' }],
    ['write_file', { file: `below/${deepPath}`, content: 'x' }],
    ['move_file', { from: `below/${deepPath}`, to: `below/${deepPath}.moved` }],
  ];
}
