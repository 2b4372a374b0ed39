/** The view of a change as a resource: one page that loads nothing from anywhere. */
// It lies beside the program, not in a served directory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDir } from '../../../bundle-directory.ts';
import { CHANGE_VIEW, VIEW_TYPE } from './client-views.ts';

/** Clients confine a page that names no origin so that it reaches none. */
const META = { ui: { csp: {}, prefersBorder: true } };

let page: string | undefined;

export function readChangeView(): object {
  page ??= readFileSync(join(bundleDir, 'change-view.html'), 'utf8');
  return { contents: [{ uri: CHANGE_VIEW, mimeType: VIEW_TYPE, text: page, _meta: META }] };
}
