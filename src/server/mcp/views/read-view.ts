/** Serves the view of a change as a resource: a single page that loads nothing else. */
// The page is next to the program, not in a served directory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDir } from '../../../bundle-directory.ts';
import { CHANGE_VIEW, VIEW_TYPE } from './client-views.ts';

/** With an empty `csp`, clients do not let the page connect to any origin. */
const META = { ui: { csp: {}, prefersBorder: true } };

let page: string | undefined;

export function readChangeView(): object {
  page ??= readFileSync(join(bundleDir, 'change-view.html'), 'utf8');
  return { contents: [{ uri: CHANGE_VIEW, mimeType: VIEW_TYPE, text: page, _meta: META }] };
}
