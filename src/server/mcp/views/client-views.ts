/** Which clients show views, and what they see of the tools. All others see the tools as they are. */
import type { App, OfferedTool } from '../app.ts';
import { isObject } from '../messages/messages.ts';
import { offeredTools, type ShownTool } from '../tools/offered-tools.ts';

/** Of the extension that the protocol names MCP Apps. */
const EXTENSION = 'io.modelcontextprotocol/ui';
export const VIEW_TYPE = 'text/html;profile=mcp-app';
export const CHANGE_VIEW = 'ui://cofferdam/change.html';

/** A tool as clients with views see it: which view belongs to it, and whether only the view calls it. */
type ViewedTool = ShownTool & { _meta?: { ui: { resourceUri?: string; visibility?: ['app'] } } };

/** By the capabilities that a client has announced. */
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

/** Without a journal there is nothing to show. */
function servesViews({ engine, clientRoots }: App): boolean {
  return clientRoots?.canUndo ?? engine.keepsChanges;
}

function withView(tool: ShownTool, { tool: { hasChangeView } }: OfferedTool): ViewedTool {
  return hasChangeView ? { ...tool, _meta: { ui: { resourceUri: CHANGE_VIEW } } } : tool;
}
