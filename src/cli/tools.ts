/** `cofferdam tools`: lists the tools of the dialects, with their parameters and what they cost a model in tokens. */

import type { ObjectSchema, Schema } from '../dialects/arguments/schema.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { counted } from '../display/counted.ts';
import type { OfferedTool } from '../server/mcp/app.ts';
import { areCommandsConfined } from '../server/mcp/tools/offerable-tools.ts';
import {
  type Abilities,
  type OfferedTools,
  offer,
  type ShownTool,
} from '../server/mcp/tools/offered-tools.ts';
import { estimatedTokens } from '../trace/estimated-tokens.ts';
import { columns } from './arguments/help.ts';
import type { CommandTo, Options } from './arguments/parse.ts';
import { print } from './output.ts';
import { openEngine } from './serve/open-app.ts';
import type { Surroundings } from './surroundings.ts';

interface ToolsRequest extends Abilities {
  dialects: readonly Dialect[];
  /** Whether one server offers all dialects, so that two tools cannot have the same name. */
  together: boolean;
}

interface DialectTools {
  dialect: Dialect;
  tools: (OfferedTool & { shown: ShownTool })[];
}

export async function tools(
  { options, together }: CommandTo<'tools'>,
  { environment }: Surroundings,
): Promise<number> {
  const asked: ToolsRequest = {
    dialects: options.dialects,
    together,
    canChange: !options.readOnly,
    ...(await findConfinement(options, environment)),
  };
  return print(options.json ? asJson(asked) : asText(asked));
}

/** What confines commands, as a server on the current directory would find it. */
async function findConfinement(
  options: Options,
  environment: Surroundings['environment'],
): Promise<Omit<Abilities, 'canChange'>> {
  const engine = openEngine([{ path: process.cwd(), writable: false }], options, environment);
  try {
    const whyUnconfined = engine.whyUnconfined();
    return options.readOnly
      ? { whyUnconfined, commandsConfined: await areCommandsConfined(engine) }
      : { whyUnconfined };
  } finally {
    await engine.close();
  }
}

function asText(asked: ToolsRequest): string {
  const all = dialectsOf(asked);
  const text = all.map(dialectAsText).join('\n');
  if (!asked.together || all.length === 1) return text;
  const shown = all.flatMap(({ tools }) => tools.map((tool) => tool.shown));
  return `${text}\ntogether: ${counted(shown.length, 'tool')}, ≈ ${tokensOfList(shown)} tokens\n`;
}

function asJson(asked: ToolsRequest): string {
  const list = dialectsOf(asked).map(({ dialect: { name, summary }, tools }) => ({
    dialect: name,
    summary,
    tokens: tokensOfList(tools.map(({ shown }) => shown)),
    tools: tools.map(({ tool, shown }) => ({
      name: shown.name,
      title: shown.title,
      description: tool.description,
      inputSchema: tool.input,
      hints: tool.hints,
      tokens: tokensOf(shown),
    })),
  }));
  return `${JSON.stringify(list, null, 2)}\n`;
}

function dialectsOf({ dialects, together, ...abilities }: ToolsRequest): DialectTools[] {
  const all = together ? offer(dialects, abilities) : undefined;
  return dialects.map((dialect) => ({
    dialect,
    tools: toolsOf(dialect, all ?? offer([dialect], abilities)),
  }));
}

function toolsOf(dialect: Dialect, { byName, shown }: OfferedTools): DialectTools['tools'] {
  return shown.flatMap((tool) => {
    const offered = byName.get(tool.name)!;
    return offered.dialect === dialect ? [{ ...offered, shown: tool }] : [];
  });
}

function tokensOf(shown: ShownTool): number {
  return estimatedTokens(JSON.stringify(shown).length);
}

/** The tokens of the answer to tools/list. */
function tokensOfList(tools: readonly ShownTool[]): number {
  return estimatedTokens(JSON.stringify({ tools }).length);
}

function dialectAsText({ dialect: { name, summary }, tools }: DialectTools): string {
  const total = tokensOfList(tools.map(({ shown }) => shown));
  const head = `${name}: ${summary}; ${counted(tools.length, 'tool')}, ≈ ${total} tokens`;
  if (tools.length === 0) return `${head}\n`;
  const rows = tools.map(({ tool, shown }): [string, string] => [
    `${shown.name}(${parametersOf(tool.input)})`,
    `≈ ${tokensOf(shown)} tokens`,
  ]);
  return [head, ...columns(rows), ''].join('\n');
}

function parametersOf(input: ObjectSchema): string {
  const required = new Set(input.required);
  return Object.entries(input.properties)
    .map(([name, schema]) => `${name}${required.has(name) ? '' : '?'}: ${typeOf(schema)}`)
    .join(', ');
}

function typeOf(schema: Schema): string {
  if ('oneOf' in schema) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.type === 'array') return `${typeOf(schema.items)}[]`;
  return schema.type;
}
