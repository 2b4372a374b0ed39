/** The tools in tools/list, and the error for a tool that does not exist. */
import type { Dialect, Tool, ToolAnnotations } from '../../../dialects/dialect.ts';
import { type App, type OfferedTool, offerTools } from '../app.ts';

export interface ShownTool {
  name: string;
  title: string;
  description: string;
  inputSchema: { type: 'object' };
  annotations: ToolAnnotations;
}

export interface OfferedTools {
  /** All tools, including those that tools/list leaves out: calls of those still get an answer from their dialect. */
  byName: ReadonlyMap<string, OfferedTool>;
  shown: ShownTool[];
  /** Tools that only views call; tools/list has them only for clients that can show views. */
  forViews: ShownTool[];
}

const MAX_NAME_LENGTH = 200;

/** What tool calls can do on this server. */
export interface Abilities {
  canChange: boolean;
  commandsConfined?: boolean | undefined;
  /** Why nothing confines commands, for the descriptions of the tools that run them. */
  whyUnconfined?: string | undefined;
}

const known = new WeakMap<App, OfferedTools>();

/** The tools of an app, computed only once: over HTTP each request may have a session of its own. */
export function offeredTools(app: App): OfferedTools {
  let tools = known.get(app);
  if (!tools) {
    const canChange = app.clientRoots?.canChange ?? app.engine.roots.some(({ writable }) => writable);
    // Only where a tool needs it: looking for the sandbox takes longer than the rest of the first answers.
    const starts = app.dialects.some((dialect) => dialect.tools.some(({ startsPrograms }) => startsPrograms));
    const whyUnconfined = starts ? app.engine.whyUnconfined() : undefined;
    tools = offer(app.dialects, { canChange, commandsConfined: app.commandsConfined, whyUnconfined });
    known.set(app, tools);
  }
  return tools;
}

export function offer(dialects: readonly Dialect[], abilities: Abilities): OfferedTools {
  const byName = offerTools(dialects);
  const useful = [...byName.values()].filter(({ tool }) => canSucceed(tool, abilities));
  const listed = (tools: readonly OfferedTool[]) => tools.map((tool) => shownTool(tool, abilities));
  return {
    byName,
    shown: listed(useful.filter(({ isForViews }) => !isForViews)),
    forViews: listed(useful.filter(({ isForViews }) => isForViews)),
  };
}

/** Whether a tool can succeed at all: one that can only fail would cost a model tokens and turns. */
function canSucceed(tool: Tool, { canChange, commandsConfined }: Abilities): boolean {
  if (canChange || tool.hints.readOnly || tool.usefulReadOnly) return true;
  return tool.startsPrograms && commandsConfined !== false;
}

export function unknownTool(name: string, { shown }: OfferedTools): string {
  const short = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
  return `Unknown tool: ${short}. The tools are: ${shown.map((tool) => tool.name).join(', ')}`;
}

/** The warning for those who approve calls: nothing confines the program that the call starts. */
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
