/** Long arguments that several tools accept. */
import { join } from 'node:path';

export function inputsFor({ root, scale, lines }) {
  const at = (name) => join(root, name);
  const many = (count, make) =>
    Array.from({ length: Math.max(1, Math.round(count * scale)) }, (_, i) => make(i));
  /** The full count from a tenth of the scale on, or from another part of it, and less below that. */
  const upTo = (count, part = 10) => Math.round(count * Math.min(1, part * scale));
  const everyNth = (step, make) =>
    Array.from({ length: Math.floor(lines / step) }, (_, i) => make(1 + i * step));
  return {
    at,
    many,
    everyNth,
    /** A name that does not exist, next to very many similar ones. */
    wrong: (i) => at(`many/entrie-${i * 7}.txd`),
    /** A glob with too many alternatives to write out. */
    bomb: '{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}{o,p}{q,r}{s,t}',
    fifty: 'some text in a line\n'.repeat(2_500_000 * scale),
    hunks: everyNth(100, (n) => `@@ -${n},1 +${n},1 @@\n-line ${n} of the file\n+LINE ${n}\n`).join(''),
    newFile: (count) =>
      `--- /dev/null\n+++ b\n@@ -0,0 +1,${count} @@\n${'+some text in a line\n'.repeat(count)}`,
    longHunk: (path, count) =>
      `*** Begin Patch\n*** Update File: ${path}\n@@\n small\n${'+some text\n'.repeat(count)}*** End Patch\n`,
    /** As many edits as one call may have, at every scale. */
    mostEdits: Array.from({ length: 10_000 }, () => ({ oldText: 'small', newText: 'small' })),
    /** As deep as the server walks, at every scale: only such a path shows a cost that grows faster than its depth. */
    deepPath: `${'d/'.repeat(900)}file.txt`,
    writtenPaths: Array.from({ length: upTo(600) }, (_, i) => `written/${i}/file.txt`),
    /** The lines of a patch. Nothing has to be laid out for it, so it may be long at small scales, too. */
    patchLines: upTo(400_000, 5),
  };
}
