/** What tools/list shows of the tools that are served, and what is said about one that is not. */
import { type App, type OfferedTool, offerTools } from './app.ts';

export interface ShownTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object' };
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

export interface OfferedTools {
  byName: ReadonlyMap<string, OfferedTool>;
  shown: ShownTool[];
}

const LONGEST_NAME = 200;

const known = new WeakMap<App, OfferedTools>();

/** Worked out once for all conversations: over HTTP there may be one for each request. */
export function offeredTools(app: App): OfferedTools {
  let tools = known.get(app);
  if (!tools) {
    const byName = offerTools(app.dialects);
    tools = { byName, shown: [...byName.values()].map((tool) => shownTool(tool, app)) };
    known.set(app, tools);
  }
  return tools;
}

/** Whoever decides about a call is to know that nothing but the program itself holds it back. */
function unconfined(why: string): string {
  return `Commands are NOT confined on this machine (${why}): they can do whatever the user who runs this server can do.`;
}

export function unknownTool(name: string, { byName }: OfferedTools): string {
  const shown = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return `Unknown tool: ${shown}. The tools are: ${[...byName.keys()].join(', ')}`;
}

function shownTool({ name, title, tool }: OfferedTool, { engine }: App): ShownTool {
  const { hints, input } = tool;
  const why = tool.startsPrograms ? engine.commands.whyUnconfined() : undefined;
  const description = why === undefined ? tool.description : `${tool.description} ${unconfined(why)}`;
  return {
    name,
    title,
    description,
    inputSchema: input as unknown as { type: 'object' },
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      openWorldHint: hints.openWorld,
    },
  };
}
