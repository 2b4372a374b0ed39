/** Lists the packages whose code is in the bundles, with their licences, as those licences demand. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `metafiles` are esbuild's lists of what went into each bundle. */
export function writeNotices(file, metafiles) {
  const folders = new Set();
  for (const { inputs } of metafiles) {
    for (const input of Object.keys(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
      if (folder) folders.add(folder);
    }
  }
  const notices = [...folders].sort().map(noticeOf);
  writeFileSync(file, `The programs in this folder contain these packages:\n\n${notices.join('\n')}`);
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const text = readdirSync(folder).find((entry) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(entry));
  const rule = '-'.repeat(78);
  const words = text && existsSync(join(folder, text)) ? readFileSync(join(folder, text), 'utf8').trim() : '';
  return `${rule}\n${name} ${version} (${license})\n\n${words}\n`;
}
