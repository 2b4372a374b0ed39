/** What is served: the engine, the dialects over it, and the names under which their tools are offered. */
import type { Dialect, Tool } from '../../dialects/dialect.ts';
import type { Engine } from '../../engine/index.ts';
import type { Recorder } from '../../trace/recorder.ts';

export interface App {
  version: string;
  engine: Engine;
  dialects: readonly Dialect[];
  home: string;
  settings: Readonly<Record<string, string | undefined>>;
  /** How a dialect's JSON-RPC errors arrive: as such unless told otherwise, or as results marked as errors. */
  errors?: 'protocol' | 'results' | undefined;
  /** Whose calls these are, where that is known: the name of a token. */
  who?: string;
  /** Whether the system keeps commands inside; unknown until somebody has looked. */
  commandsConfined?: boolean;
  /** Takes down every call. */
  trace?: Recorder;
  /** Tells the operator, never a client. */
  log(line: string): void;
}

export interface OfferedTool {
  name: string;
  title: string;
  tool: Tool;
  dialect: Dialect;
}

/**
 * Tools in the order of their dialects. A name that is taken already is offered as `dialect_name`, and a title as
 * `title (dialect)`: no two tools look the same.
 */
export function offerTools(dialects: readonly Dialect[]): Map<string, OfferedTool> {
  const offered = new Map<string, OfferedTool>();
  const titles = new Set<string>();
  for (const dialect of dialects) {
    for (const tool of dialect.tools) {
      const name = offered.has(tool.name) ? `${dialect.name}_${tool.name}` : tool.name;
      const title = titles.has(tool.title) ? `${tool.title} (${dialect.name})` : tool.title;
      titles.add(title);
      offered.set(name, { name, title, tool, dialect });
    }
  }
  return offered;
}
