import type { BelowEntry } from '../../../engine/index.ts';
import { jsonBytes } from '../../../json/json-size.ts';
import { defineTool, hints } from '../../dialect.ts';
import { countThatFits, textFits } from '../../results/result-size.ts';
import { success } from '../envelope.ts';
import { workspacePath } from '../paths.ts';

export const listDir = defineTool({
  name: 'list_dir',
  title: 'List directory',
  description:
    'List a directory of the workspace, by path. recursive lists everything below it, without following symlinks; truncated tells that maxEntries cut the list.',
  hints: hints.readOnly,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      dir: { type: 'string', default: '.' },
      recursive: { type: 'boolean', default: false },
      maxEntries: { type: 'integer', minimum: 1, maximum: 2000, default: 500 },
    },
  },
  async run({ dir: sent, recursive, maxEntries }, { engine, signal }) {
    const dir = workspacePath(sent);
    const depth = recursive ? Number.POSITIVE_INFINITY : 1;
    const { entries, truncated } = await engine.files.listAll(dir, { depth, max: maxEntries, signal });
    const all = entries.map((entry) => describe(dir, entry));
    const shown = (await textFits(JSON.stringify(all)))
      ? all
      : all.slice(0, await countThatFits(all, (entry) => jsonBytes(JSON.stringify(entry))));
    return { dir, entries: shown, truncated: truncated || shown.length < all.length };
  },
  render: success,
});

/** Gives every directory the size 0, since what file systems report as its size differs and means nothing. */
function describe(dir: string, { path, type, size }: BelowEntry) {
  return {
    path: dir === '.' ? path : `${dir}/${path}`,
    type: type === 'directory' ? 'dir' : type === 'symlink' ? 'symlink' : 'file',
    size: type === 'directory' ? 0 : size,
  };
}
