/** A call as a line for a shell: `cofferdam call TOOL 'JSON' --dialect NAME DIR …`. */
import { plainJson } from '../../display/plain-text.ts';
import { shellWord } from '../../display/shell-word.ts';
import type { PageEvent } from '../wire.ts';

export interface CallLine {
  text: string;
  /** Whether it has all arguments as they were sent; otherwise `…` stands for what is missing. */
  isWhole: boolean;
}

/** Undefined for what is no call of a tool. `recorded` are all arguments as JSON, where the trace has them. */
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

/** Arguments that were too long are cut in the trace, and are no JSON then. */
function parsed(json: string | undefined): unknown {
  try {
    return json === undefined ? undefined : JSON.parse(json);
  } catch {
    return undefined;
  }
}
