/**
 * The ten tasks. `prepare` makes the files and returns what the agent gets to know. When the agent has finished,
 * `problem` checks the disk and the answers, and returns what is not as asked, or nothing.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { picture } from './picture.mjs';
import { modules, writeAll } from './sources.mjs';

/** A line that every module of the scenes has. */
const TITLES_OF_FOUND =
  '    if (found.length === 0) return [];\n    return found.map((entry) => entry.title);\n';

const typo = {
  key: 'typo',
  title: 'fix a typo in 5 files',
  prepare(folder) {
    const files = modules(30, (index) =>
      index % 6 === 2 ? ['', `// Clients recieve at most ${index + 3} titles.`] : [],
    );
    writeAll(folder, files);
    return { wrong: 'recieve', right: 'receive', files };
  },
  problem: ({ folder, files }) =>
    differing(
      folder,
      mapped(files, (text) => text.replace('recieve', 'receive')),
    ),
};

const rename = {
  key: 'rename',
  title: 'rename a function in 40 files',
  prepare(folder) {
    // Another name begins with the one that changes, as happens in real code.
    const files = modules(120, (index) =>
      index % 3 === 0
        ? [
            `import { parseOptions${index % 5 === 0 ? ', parseOptionsOf' : ''} } from '../options.ts';`,
            `const options = parseOptions(found, ${index});`,
            ...(index % 5 === 0 ? ['if (options.nested) return parseOptionsOf(options.nested);'] : []),
          ]
        : [],
    );
    writeAll(folder, files);
    return { from: 'parseOptions', to: 'readOptions', files };
  },
  problem: ({ folder, files }) =>
    differing(
      folder,
      mapped(files, (text) => text.replace(/\bparseOptions\b/g, 'readOptions')),
    ),
};

const middle = {
  key: 'middle',
  title: 'read 50 lines in the middle of 20,000',
  prepare(folder) {
    const lines = Array.from(
      { length: 20_000 },
      (_, index) => `${index + 1}: ${(index * 7919) % 10007} was measured.`,
    );
    writeFileSync(join(folder, 'measured.log'), `${lines.join('\n')}\n`);
    return { name: 'measured.log', first: 10_000, count: 50, lines };
  },
  problem({ lines, first, count }, conversation) {
    const wanted = lines.slice(first - 1, first - 1 + count);
    return missing(wanted, conversation);
  },
};

const uses = {
  key: 'uses',
  title: 'find where a function is used, but not in node_modules',
  prepare(folder) {
    const call = (index) => `sums.push(checksumOf(found[${index}]));`;
    const files = modules(60, (index) => (index % 5 === 1 ? ['', call(index)] : []));
    for (let index = 0; index < 300; index++) {
      files.set(
        `node_modules/dep-${index % 30}/lib/m${index}.ts`,
        `export const v = checksumOf('vendored ${index}');\n`,
      );
    }
    files.set('.gitignore', 'node_modules/\n');
    files.set('.git/HEAD', 'ref: refs/heads/main\n');
    writeAll(folder, files);
    const wanted = Array.from({ length: 60 }, (_, index) => index)
      .filter((index) => index % 5 === 1)
      .map((index) => `checksumOf(found[${index}])`);
    return { functionName: 'checksumOf', wanted };
  },
  problem({ wanted }, conversation) {
    if (conversation.text.includes("checksumOf('vendored")) return 'it answers with what is in node_modules';
    return missing(wanted, conversation);
  },
};

const patch = {
  key: 'patch',
  title: 'apply a patch with wrong line numbers and counts',
  prepare(folder) {
    const files = modules(10);
    writeAll(folder, files);
    const [one, two] = [...files.keys()];
    // Each hunk as the edits that an agent without a tool for patches would make, and as the patch has it.
    const hunks = [
      {
        name: one,
        before: TITLES_OF_FOUND,
        after:
          '    if (found.length === 0) return [];\n    found.sort();\n    return found.map((entry) => entry.title);\n',
        text: '@@ -41,9 +41,3 @@\n     if (found.length === 0) return [];\n+    found.sort();\n     return found.map((entry) => entry.title);\n',
      },
      {
        name: one,
        before: '  close(): void {\n    this.orders0.close();\n',
        after: '  async close(): Promise<void> {\n    await this.orders0.close();\n',
        text: '@@ -70 +90 @@\n-  close(): void {\n-    this.orders0.close();\n+  async close(): Promise<void> {\n+    await this.orders0.close();\n',
      },
      {
        name: two,
        before: 'const LIMIT_OF_1 = 17;\n',
        after: 'const LIMIT_OF_1 = 170;\n',
        text: '@@ -2,2 +2,2 @@\n-const LIMIT_OF_1 = 17;\n+const LIMIT_OF_1 = 170;\n',
      },
    ];
    const text = [one, two]
      .map((name) => {
        const own = hunks.filter((hunk) => hunk.name === name).map((hunk) => hunk.text);
        return `--- a/${name}\n+++ b/${name}\n${own.join('')}`;
      })
      .join('');
    const wanted = new Map(files);
    for (const { name, before, after } of hunks) wanted.set(name, wanted.get(name).replace(before, after));
    return { patch: text, hunks, wanted };
  },
  problem: ({ folder, wanted }) => differing(folder, wanted),
};

const undo = {
  key: 'undo',
  title: 'undo the third-to-last change, made in an earlier conversation',
  prepare(folder) {
    const files = modules(8);
    writeAll(folder, files);
    const changes = [...files.keys()].slice(0, 4).map((name, index) => ({
      name,
      before: TITLES_OF_FOUND,
      after: `    return found.slice(${index}).map((entry) => entry.title);\n`,
    }));
    const wanted = new Map(files);
    for (const [index, { name, before, after }] of changes.entries()) {
      if (index !== 1) wanted.set(name, wanted.get(name).replace(before, after));
    }
    return { changes, wanted };
  },
  problem: ({ folder, wanted }) => differing(folder, wanted),
};

const listing = {
  key: 'listing',
  title: 'list a directory of 20,000 files',
  prepare(folder) {
    const names = Array.from({ length: 20_000 }, (_, index) => `entry-${String(index).padStart(5, '0')}.txt`);
    mkdirSync(join(folder, 'many'));
    for (const name of names) writeFileSync(join(folder, 'many', name), '');
    return { directory: 'many', names };
  },
  problem: ({ names }, conversation) => missing(names, conversation),
};

const image = {
  key: 'image',
  title: 'look at an image',
  prepare(folder) {
    const bytes = picture();
    writeFileSync(join(folder, 'chart.png'), bytes);
    return { name: 'chart.png', data: bytes.toString('base64') };
  },
  problem({ data }, { answers }) {
    const images = answers.flatMap(({ content }) => content).filter(({ type }) => type === 'image');
    if (images.length === 0) return 'no image came back';
    return images.some((item) => item.data === data) ? undefined : 'the image is not the one of the file';
  },
};

const utf16 = {
  key: 'utf16',
  title: 'edit a file in UTF-16',
  prepare(folder) {
    const text = Array.from({ length: 40 }, (_, index) => `Item ${index + 1} costs €${index * 3}.\r\n`).join(
      '',
    );
    const encoded = (content) => Buffer.from(`\ufeff${content}`, 'utf16le');
    const before = 'Item 21 costs €60.';
    const after = 'Item 21 costs €65.';
    writeFileSync(join(folder, 'prices.txt'), encoded(text));
    return { name: 'prices.txt', before, after, wanted: encoded(text.replace(before, after)) };
  },
  problem({ folder, name, wanted }) {
    return readFileSync(join(folder, name)).equals(wanted)
      ? undefined
      : 'the bytes of the file are not as they should be';
  },
};

const denied = {
  key: 'denied',
  title: 'be told that a secret, and a file outside, are denied',
  prepare(folder) {
    const outside = join(dirname(folder), 'outside.txt');
    writeFileSync(outside, 'a secret outside\n');
    writeFileSync(join(folder, '.env'), 'TOKEN=a-secret-inside\n');
    return { secret: '.env', outside };
  },
  problem(_, { text, answers }) {
    if (/a-secret-inside|a secret outside/.test(text)) return 'it hands out the secret';
    const told = answers.filter((answer) => /denied|not allowed|outside|forbidden/i.test(answer.text));
    return told.length === answers.length && told.length >= 2
      ? undefined
      : 'it does not say that they are denied';
  },
};

export const scenes = [typo, rename, middle, uses, patch, undo, listing, image, utf16, denied];

function mapped(files, change) {
  return new Map([...files].map(([name, text]) => [name, change(text)]));
}

/** The first file that does not have the expected content. */
function differing(folder, files) {
  for (const [name, text] of files) {
    if (readFileSync(join(folder, name), 'utf8') !== text) return `${name} is not as it should be`;
  }
  return undefined;
}

/** What the answers do not contain, also with escaped quotes, as in JSON. */
function missing(wanted, { text }) {
  const lost = wanted.filter(
    (part) => !text.includes(part) && !text.includes(JSON.stringify(part).slice(1, -1)),
  );
  return lost.length === 0 ? undefined : `${lost.length} of ${wanted.length} did not come back`;
}
