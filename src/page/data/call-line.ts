/** A call as a command line: `cofferdam call TOOL 'JSON' --dialect NAME DIR …`. */
import { plainJson } from '../../display/plain-text.ts';
import { shellWord } from '../../display/shell-word.ts';
import type { PageEvent } from '../wire.ts';

export interface CallLine {
  text: string;
  /** Whether the line has all arguments as they were sent; if not, `…` marks what is missing. */
  isWhole: boolean;
}

/** Undefined for an event that is not a tool call. `recorded` has all arguments as JSON, if the trace has them. */
export function callLine(event: PageEvent, recorded?: string): CallLine | undefined {
  const { tool, dialect, roots, brief = {} } = event;
  if (dialect === 'cofferdam' || tool === '-' || tool.includes('/')) return undefined;
  const sent = parsed(recorded);
  const args = sent ?? Object.fromEntries(Object.entries(brief).map(([name, value]) => [name, known(value)]));
  const json = plainJson(args);
  const isWhole = sent !== undefined || !/…|•••/.test(json);
  const words = ['cofferdam', 'call', tool, json, '--dialect', dialect, ...roots];
  return { text: words.map(shellWord).join(' '), isWhole };
}

function known(value: NonNullable<PageEvent['brief']>[string]): unknown {
  return typeof value === 'object' && !Array.isArray(value) ? '…' : value;
}

/** The trace truncates arguments that are too long; then they are not JSON. */
function parsed(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}
