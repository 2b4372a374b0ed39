/** The worst calls of patch. */
import { inputsFor } from './inputs.mjs';

export function patch(site) {
  const { scale, lines } = site;
  const { many, fifty, hunks, newFile } = inputsFor(site);
  return [
    ['patch_apply', { path: 'patched.txt', patch: `--- a\n+++ b\n${hunks}` }],
    [
      'patch_apply',
      { path: 'diffed.txt', patch: `--- a\n+++ b\n@@ -5,3 +5,3 @@\n nothing\n-such\n+is\n here\n` },
    ],
    ['patch_apply', { path: 'made.txt', patch: newFile(lines) }],
    ['append', { path: 'appended.txt', content: 'x\r\n'.repeat(1_000_000 * scale) }],
    ['write_file', { path: 'other.txt', content: 'x\n'.repeat(2_000_000 * scale) }],
    ['shell_exec', { command: 'ls', args: ['many'] }],
    ['shell_exec', { command: 'ls', args: many(10_000, (i) => `many/x${i}`) }],
    // At every scale: nearly as many arguments as are accepted.
    ['shell_exec', { command: 'ls', args: Array.from({ length: 8000 }, (_, i) => `x${i}`) }],
    // At every scale: too many arguments, refused before anything reads the options.
    ['shell_exec', { command: 'ls', args: Array(60_000).fill(`-${'l'.repeat(20)}`) }],
    ['shell_exec', { command: 'ls', args: [`-${'l'.repeat(1_000_000)}`] }],
    ['shell_exec', { command: 'find', args: Array(100_000).fill('-print') }],
    // Much text in many arguments, and words that name secrets again and again.
    ['shell_exec', { command: 'ls', args: Array(8000).fill('x'.repeat(2000)) }],
    ['shell_exec', { command: 'ls', args: Array(10).fill('token'.repeat(400)) }],
    ['shell_exec', { command: 'ls', args: [`-${'token'.repeat(20_000)} `, 'x'] }],
    ['shell_exec', { command: 'ls', args: ['/a'.repeat(2_000_000)] }],
    // A line that begins like a fence but is none.
    ['patch_apply', { path: 'patched.txt', patch: `${'~'.repeat(100_000)}\`\n@@ -1 +1 @@\n-a\n+b\n` }],
    ['write_file', { path: 'whole.txt', content: fifty }],
    ['append', { path: 'whole.txt', content: 'x\r\n'.repeat(1_000_000 * scale) }],
    ['patch_apply', { path: 'patched-whole.txt', patch: newFile(Math.round(1_200_000 * scale)) }],
  ];
}
