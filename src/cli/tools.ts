/** `cofferdam tools`: the tools of the dialects, with their parameters and what they cost a model in tokens. */
import type { Dialect, Tool } from '../dialects/dialect.ts';
import type { ObjectSchema, Schema } from '../dialects/schema.ts';
import { type OfferedTool, offerTools } from '../server/app.ts';
import { estimatedTokens } from '../trace/tokens.ts';
import { columns } from './help.ts';

export function tokensOf(tool: Tool): number {
  const shown = JSON.stringify({
    name: tool.name,
    description: tool.description,
    inputSchema: tool.input,
  });
  return estimatedTokens(shown.length);
}

/** `together`: under the names that the tools get where one server on stdio offers all of these dialects. */
export function toolsAsText(dialects: readonly Dialect[], together: boolean): string {
  const named = offeredBy(dialects, together);
  return dialects.map((dialect) => dialectAsText(dialect, named(dialect))).join('\n');
}

export function toolsAsJson(dialects: readonly Dialect[], together: boolean): string {
  const named = offeredBy(dialects, together);
  const list = dialects.map((dialect) => ({
    dialect: dialect.name,
    summary: dialect.summary,
    tools: named(dialect).map(({ name, title, tool }) => ({
      name,
      title,
      description: tool.description,
      inputSchema: tool.input,
      hints: tool.hints,
      tokens: tokensOf(tool),
    })),
  }));
  return `${JSON.stringify(list, null, 2)}\n`;
}

function offeredBy(dialects: readonly Dialect[], together: boolean): (dialect: Dialect) => OfferedTool[] {
  const offered = together ? [...offerTools(dialects).values()] : [];
  return (dialect) =>
    together ? offered.filter((each) => each.dialect === dialect) : [...offerTools([dialect]).values()];
}

function dialectAsText({ name, summary, tools }: Dialect, offered: readonly OfferedTool[]): string {
  const total = tools.reduce((sum, tool) => sum + tokensOf(tool), 0);
  const rows = offered.map(({ name: offeredAs, tool }): [string, string] => [
    `${offeredAs}(${parametersOf(tool.input)})`,
    `≈ ${tokensOf(tool)} tokens`,
  ]);
  const head = `${name}: ${summary}; ${tools.length} tools, ≈ ${total} tokens`;
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
