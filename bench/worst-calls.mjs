/** The worst that a call of each tool can ask for: huge directories, huge files, huge arguments. */
import { fileeditor } from './worst/fileeditor.mjs';
import { patch } from './worst/patch.mjs';
import { replay } from './worst/replay.mjs';
import { repo } from './worst/repo.mjs';
import { standard } from './worst/standard.mjs';
import { workspace } from './worst/workspace.mjs';

export { layOut } from './worst/site.mjs';

/** The calls of each dialect, in an order that works on one site: the last ones delete much of it. */
const CALLS = { repo, workspace, fileeditor, patch, standard, replay };

export const dialects = Object.keys(CALLS);

/** Each call names a tool, or, with a slash in the name, a method of the protocol. */
export function worstCalls(dialect, site) {
  return CALLS[dialect](site);
}
