/** What each scope allows, and which scopes a message needs. */
import type { Dialect, Tool } from '../../dialects/dialect.ts';
import { offerTools } from '../mcp/app.ts';

const READ = 'files:read';
const WRITE = 'files:write';
const RUN = 'files:run';
const DIALECT = 'dialect:';

/** The scopes that the tools of a dialect need, the weakest first. */
export function scopesOfTools({ tools }: Dialect, canChange: boolean): string[] {
  const used = new Set([READ, ...tools.flatMap(scopesOfTool)]);
  if (!canChange) used.delete(WRITE);
  return [READ, WRITE, RUN].filter((scope) => used.has(scope));
}

/** Programs can change files, so they need the write scope, unless the tool starts only programs that cannot. */
function scopesOfTool({ startsPrograms, hints }: Tool): string[] {
  return [READ, ...(hints.readOnly ? [] : [WRITE]), ...(startsPrograms ? [RUN] : [])];
}

/** The scopes that the messages of a request need in this dialect. */
export function scopesNeeded(
  dialect: Dialect,
  granted: ReadonlySet<string>,
  messages: readonly unknown[],
): string[] {
  const tools = offerTools([dialect]);
  const needed = new Set([READ]);
  if (namesDialects(granted)) needed.add(`${DIALECT}${dialect.name}`);
  for (const message of messages) {
    const { method, params } = Object(message) as { method?: unknown; params?: { name?: unknown } };
    if (method !== 'tools/call') continue;
    const offered = tools.get(String(Object(params).name));
    for (const scope of offered ? scopesOfTool(offered.tool) : []) needed.add(scope);
  }
  return [...needed];
}

/** Whether a token names dialects: then it opens only those, otherwise all. */
function namesDialects(granted: ReadonlySet<string>): boolean {
  return [...granted].some((scope) => scope.startsWith(DIALECT));
}

/** The granted scopes that this server knows: a client that asks for more must not lose them. */
export function knownScopes(granted: ReadonlySet<string>): string[] {
  return [...granted].filter((scope) => [READ, WRITE, RUN].includes(scope) || scope.startsWith(DIALECT));
}
