/** Decides which clients can show views, and lists the tools for them. All other clients get the plain list. */
import { isObject } from '../../../json/is-object.ts';
import type { App, OfferedTool } from '../app.ts';
import { offeredTools, type ShownTool } from '../tools/offered-tools.ts';

/** The name of the protocol extension MCP Apps. */
const EXTENSION = 'io.modelcontextprotocol/ui';
export const VIEW_TYPE = 'text/html;profile=mcp-app';
export const CHANGE_VIEW = 'ui://cofferdam/change.html';

/** A tool as clients with views see it: which view belongs to it, and whether only the view calls it. */
type ViewedTool = ShownTool & { _meta?: { ui: { resourceUri?: string; visibility?: ['app'] } } };

/** Whether a client with these capabilities can show views. */
export function hasViews(capabilities: unknown): boolean {
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  const views = isObject(extensions) ? extensions[EXTENSION] : undefined;
  return isObject(views) && Array.isArray(views.mimeTypes) && views.mimeTypes.includes(VIEW_TYPE);
}

/** The answer to tools/list. */
export function listedTools(app: App, capabilities: unknown): ViewedTool[] {
  const { shown, forViews, byName } = offeredTools(app);
  if (!servesViews(app) || !hasViews(capabilities)) return shown;
  const viewed = shown.map((tool) => withView(tool, byName.get(tool.name)!));
  if (viewed.every(({ _meta }) => _meta === undefined)) return shown;
  return [
    ...viewed,
    ...forViews.map((tool) => ({ ...tool, _meta: { ui: { visibility: ['app'] as ['app'] } } })),
  ];
}

/** Whether there is a journal: without one, a view has nothing to show. */
function servesViews({ engine, clientRoots }: App): boolean {
  return clientRoots?.canUndo ?? engine.keepsChanges;
}

function withView(tool: ShownTool, { tool: { hasChangeView } }: OfferedTool): ViewedTool {
  return hasChangeView ? { ...tool, _meta: { ui: { resourceUri: CHANGE_VIEW } } } : tool;
}
