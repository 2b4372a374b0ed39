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
  /** How clients get a dialect's JSON-RPC errors: as protocol errors, which is the default, or as results marked as errors. */
  errors?: 'protocol' | 'results' | undefined;
  /** About how many tokens an answer may hold, in dialects that keep to that. */
  maxTokens?: number | undefined;
  /** Whose calls these are: the name of a token, where there is one. */
  who?: string;
  /** Whether the system confines commands; undefined before anybody has tried. */
  commandsConfined?: boolean;
  /** The engine through which changes come, where `engine` is one that only reads. */
  changing?: Engine;
  /** For a server without directories of its own, which serves those that its client names. */
  clientRoots?: ServedClientRoots;
  /** Records every call. */
  trace?: Recorder;
  /** Tells the operator, never a client. */
  log(line: string): void;
}

export interface ServedClientRoots {
  /** Undefined when none of the directories can be opened. The caller closes the engine. */
  open(paths: readonly string[]): Engine | undefined;
  /** What calls will be able to do once there are directories. */
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
 * Tools in the order of their dialects. When an earlier dialect has the same name, the tool is `dialect_name`, and
 * when it has the same title but for letter case, `title (dialect)`: no two tools look the same.
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
