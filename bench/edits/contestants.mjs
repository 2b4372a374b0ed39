/** The servers that get the edits, and how: `call` gives the tool and its arguments for an edit of one file. */
import { Server } from '../server.mjs';

/** The file that all edits change. */
export const NAME = 'file';

const PEERS = {
  official: ({ path, oldText, newText }) => ['edit_file', { path, edits: [{ oldText, newText }] }],
  commander: ({ path, oldText, newText }) => [
    'edit_block',
    { file_path: path, old_string: oldText, new_string: newText },
  ],
  fast: ({ path, oldText, newText }) => ['fast_edit_block', { path, old_text: oldText, new_text: newText }],
  shtse8: ({ oldText, newText }) => [
    'replace_content',
    { paths: [NAME], operations: [{ search: oldText, replace: newText }] },
  ],
  editor: ({ path, oldText, newText }) => ['str_replace', { path, old_str: oldText, new_str: newText }],
};

/** Each contestant with the kind of edit that it takes (`text`, `anchors`, `patch`), or why it does not install. */
export async function contestants(bench) {
  const own = [
    ['edit_file by text', 'text', ({ oldText, newText }) => ['edit_file', oneEdit({ oldText, newText })]],
    ['edit_file by anchors', 'anchors', ({ lines, newText }) => ['edit_file', oneEdit({ lines, newText })]],
    ['apply_patch', 'patch', ({ patch }) => ['apply_patch', { patch }]],
  ].map(([tool, kind, call]) => {
    const folder = bench.folder(`edits-${tool.replaceAll(' ', '-')}`);
    const flags = ['--state', bench.folder(`edits-state-${kind}`)];
    const open = () => Server.open(bench.cofferdam(folder, { dialect: 'standard', flags }));
    return { name: `Cofferdam ${tool}`, kind, call, folder, open, isOurs: true };
  });
  const others = [];
  for (const [key, call] of Object.entries(PEERS)) {
    const { name, launch, why } = await bench.peer(key);
    const folder = bench.folder(`edits-${key}`);
    const home = bench.folder(`edits-home-${key}`);
    const open = launch && (() => Server.open(launch({ folder, home })));
    others.push({ name, kind: 'text', call, folder, open, why });
  }
  return [...own, ...others];
}

function oneEdit(edit) {
  return { path: NAME, edits: [edit] };
}
