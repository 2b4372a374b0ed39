/** What tools/list shows of the tools that are served, and what is said about one that is not. */
import type { Dialect, Tool } from '../../dialects/dialect.ts';
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
  /** All tools: one that is not shown still answers, in the words of its dialect. */
  byName: ReadonlyMap<string, OfferedTool>;
  shown: ShownTool[];
}

const LONGEST_NAME = 200;

/** What calls are able to do. */
export interface Abilities {
  canChange: boolean;
  commandsConfined?: boolean | undefined;
  /** Why nothing confines commands, for the descriptions of the tools that start them. */
  whyUnconfined?: string | undefined;
}

const known = new WeakMap<App, OfferedTools>();

/** Worked out once for all conversations: over HTTP there may be one for each request. */
export function offeredTools(app: App): OfferedTools {
  let tools = known.get(app);
  if (!tools) {
    const canChange = app.engine.roots.some(({ writable }) => writable);
    const whyUnconfined = app.engine.commands.whyUnconfined();
    tools = offer(app.dialects, { canChange, commandsConfined: app.commandsConfined, whyUnconfined });
    known.set(app, tools);
  }
  return tools;
}

export function offer(dialects: readonly Dialect[], abilities: Abilities): OfferedTools {
  const byName = offerTools(dialects);
  const useful = [...byName.values()].filter(({ tool }) => canSucceed(tool, abilities));
  return { byName, shown: useful.map((tool) => shownTool(tool, abilities)) };
}

/** Tools that could only fail cost a model tokens and turns. */
function canSucceed(tool: Tool, { canChange, commandsConfined }: Abilities): boolean {
  if (canChange || tool.hints.readOnly || tool.usefulReadOnly) return true;
  return tool.startsPrograms && commandsConfined !== false;
}

export function unknownTool(name: string, { shown }: OfferedTools): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return `Unknown tool: ${short}. The tools are: ${shown.map((tool) => tool.name).join(', ')}`;
}

/** Whoever decides about a call is to know that nothing but the program itself holds it back. */
function unconfined(why: string): string {
  return `Commands are NOT confined on this machine (${why}): they can do whatever the user who runs this server can do.`;
}

function shownTool({ name, title, tool }: OfferedTool, { whyUnconfined }: Abilities): ShownTool {
  const { hints, input } = tool;
  const warns = tool.startsPrograms && whyUnconfined !== undefined;
  const description = warns ? `${tool.description} ${unconfined(whyUnconfined)}` : tool.description;
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
