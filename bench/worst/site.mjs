/** Lays out what the worst calls work on: huge directories, deep ones, huge files of every kind. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `scale` 1 means 200,000 entries, 400,000 lines, a line of 12 MB and contents of 50 MB. `entryScale` applies to the
 * entries alone.
 */
export function layOut(root, scale = 1, entryScale = scale) {
  const site = siteOf(root, scale, entryScale);
  entries(site);
  texts(site);
  characters(site);
  return site;
}

/** Describes a site that was laid out before. */
function siteOf(root, scale, entryScale) {
  return {
    root,
    scale,
    entryScale,
    entries: Math.round(200_000 * entryScale),
    lines: Math.round(400_000 * scale),
  };
}

function entries({ root, entryScale, entries }) {
  mkdirSync(join(root, 'many'), { recursive: true });
  for (let i = 0; i < entries; i++) writeFileSync(join(root, 'many', `entry-${i}.txt`), '');
  for (let i = 0; i < entries / 200; i++) {
    const directory = join(root, 'tree', `part-${i % 37}`, `directory-${i}`);
    mkdirSync(directory, { recursive: true });
    for (let j = 0; j < 100; j++) writeFileSync(join(directory, `file-${j}.c`), '');
  }
  for (let i = 0; i < 50_000 * entryScale; i++)
    mkdirSync(join(root, 'directories', `directory-${i}`), { recursive: true });
  mkdirSync(join(root, 'deep', ...Array.from({ length: 400 }, () => 'd')), { recursive: true });
  // Rules for names that do not exist: each entry is checked against all of them.
  const rules = Array.from({ length: 100_000 * entryScale }, (_, i) => `/generated-${i}/*.out\n`).join('');
  mkdirSync(join(root, 'ruled'));
  writeFileSync(join(root, 'ruled', '.gitignore'), rules);
  for (let i = 0; i < 500 * entryScale; i++) writeFileSync(join(root, 'ruled', `file-${i}.txt`), '');
}

function texts({ root, scale, lines }) {
  const text = numbered(lines);
  for (const name of ['lines.txt', 'patched.txt', 'diffed.txt', 'inserted.txt', 'appended.txt', 'edited.txt'])
    writeFileSync(join(root, name), text);
  for (const name of ['long.txt', 'long2.txt', 'long3.txt', 'long4.txt', 'long5.txt'])
    writeFileSync(join(root, name), 'ab c'.repeat(3_000_000 * scale));
  for (let i = 0; i < 50; i++) writeFileSync(join(root, `big-${i}.txt`), text.slice(0, 2_000_000 * scale));
  writeFileSync(join(root, 'large.txt'), 'some text in a line\n'.repeat(3_000_000 * scale));
  writeFileSync(join(root, 'empty-lines.txt'), '\n'.repeat(30_000_000 * scale));
  writeFileSync(join(root, 'megabyte.txt'), 'ab c'.repeat(200_000));
  // At every scale: longer than an answer may be.
  writeFileSync(join(root, 'one-line.txt'), 'ab c'.repeat(2_200_000));
  // At every scale: no text of so few bytes has more lines.
  writeFileSync(join(root, 'short-lines.txt'), 'a\n'.repeat(40_000));
  writeFileSync(join(root, 'small.txt'), 'small\n');
  writeFileSync(join(root, 'binary.png'), Buffer.alloc(5_000_000 * scale, 1));
}

/** Texts that take long to decode, to measure or to search. */
function characters({ root, scale }) {
  writeFileSync(join(root, 'wide.txt'), 'äß–漢\n'.repeat(1_000_000 * scale));
  writeFileSync(join(root, 'tags.txt'), `\u{1f3f4}${'\u{e0061}'.repeat(1_500_000 * scale)}`);
  writeFileSync(join(root, 'joined.txt'), '漢\u200d'.repeat(1_200_000 * scale));
  writeFileSync(join(root, 'marked.txt'), 'a\u200b\n'.repeat(1_500_000 * scale));
  writeFileSync(join(root, 'controls.txt'), '\u0001'.repeat(1_300_000 * scale));
}

function numbered(lines) {
  let text = '';
  for (let i = 1; i <= lines; i++) text += `line ${i} of the file\n`;
  return text;
}
