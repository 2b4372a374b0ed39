/** `cofferdam tools`: the tools of the dialects, with their parameters and what they cost a model in tokens. */
import type { Dialect, Tool } from '../dialects/dialect.ts';
import type { ObjectSchema, Schema } from '../dialects/schema.ts';
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

export function toolsAsText(dialects: readonly Dialect[]): string {
  return dialects.map(dialectAsText).join('\n');
}

export function toolsAsJson(dialects: readonly Dialect[]): string {
  const list = dialects.map(({ name, summary, tools }) => ({
    dialect: name,
    summary,
    tools: tools.map((tool) => ({
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.input,
      hints: tool.hints,
      tokens: tokensOf(tool),
    })),
  }));
  return `${JSON.stringify(list, null, 2)}\n`;
}

function dialectAsText({ name, summary, tools }: Dialect): string {
  const total = tools.reduce((sum, tool) => sum + tokensOf(tool), 0);
  const rows = tools.map((tool): [string, string] => [
    `${tool.name}(${parametersOf(tool.input)})`,
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
