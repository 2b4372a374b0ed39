/** What a server offers: the engine, the dialects over it, and their tools by name. */
import type { Dialect, Tool } from '../../dialects/dialect.ts';
import type { Engine } from '../../engine/index.ts';
import type { Recorder } from '../../trace/recorder.ts';

export interface App {
  version: string;
  engine: Engine;
  dialects: readonly Dialect[];
  home: string;
  settings: Readonly<Record<string, string | undefined>>;
  /** Whether clients get a dialect's JSON-RPC errors as protocol errors (the default) or as error results. */
  errors?: 'protocol' | 'results' | undefined;
  /** Roughly how many tokens an answer may hold, in dialects that have such a limit. */
  maxTokens?: number | undefined;
  /** The name of the caller's token, where there is one. */
  who?: string;
  /** Whether a sandbox confines commands; undefined until the server has tried one. */
  commandsConfined?: boolean;
  /** The engine that makes changes, where `engine` can only read. */
  changing?: Engine;
  /** Set on a server without directories of its own, which serves the roots that its client names. */
  clientRoots?: ServedClientRoots;
  /** Records every call. */
  trace?: Recorder;
  /** Writes a line for the operator; clients never see it. */
  log(line: string): void;
}

export interface ServedClientRoots {
  /** Undefined when none of the directories can be opened. The caller closes the engine. */
  open(paths: readonly string[]): Engine | undefined;
  /** Whether calls can change files once there are directories. */
  canChange: boolean;
  canUndo: boolean;
}

export interface OfferedTool {
  name: string;
  title: string;
  tool: Tool;
  dialect: Dialect;
  /** Only the view of a change calls it. */
  isForViews?: true;
}

/**
 * The tools by name, in the order of their dialects. No two tools look the same: when an earlier dialect has a tool of
 * the same name, the later one is called `dialect_name`, and when the titles differ at most in letter case, the later
 * title becomes `title (dialect)`.
 */
export function offerTools(dialects: readonly Dialect[]): Map<string, OfferedTool> {
  const offered = new Map<string, OfferedTool>();
  const titles = new Set<string>();
  const add = (tool: Tool, dialect: Dialect, isForViews: boolean) => {
    const name = offered.has(tool.name) ? `${dialect.name}_${tool.name}` : tool.name;
    const title = titles.has(tool.title.toLowerCase()) ? `${tool.title} (${dialect.name})` : tool.title;
    titles.add(title.toLowerCase());
    offered.set(name, { name, title, tool, dialect, ...(isForViews && { isForViews }) });
  };
  for (const dialect of dialects) for (const tool of dialect.tools) add(tool, dialect, false);
  for (const dialect of dialects) if (dialect.changeView) add(dialect.changeView.show, dialect, true);
  return offered;
}
