/** A change as the server describes it: in the result of the call that made it, and in answers to the view. */
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { PageDiff, PageEntry } from '../page/wire.ts';

/** The journal entries that a call made, and the tools that show and undo them. */
export interface ChangeNote {
  entries: string[];
  show?: string;
  undo?: string;
}

export interface ShownChange extends Pick<PageEntry, 'state' | 'roots' | 'undoes'> {
  entry: string;
  tool?: string;
  files: PageDiff[];
  moreFiles?: number;
  /** The entry that undid this one: undoing that entry redoes this one. */
  undoneBy?: string;
}

export function madeBy({ _meta }: CallToolResult): ChangeNote | undefined {
  return _meta?.['cofferdam/change'] as ChangeNote | undefined;
}

export function textOf({ content }: CallToolResult): string {
  return content.map((item) => (item.type === 'text' ? item.text : '')).join('\n');
}

const HEADER = /^--- .*\n\+\+\+ .*$/gm;

/** The unified diff in an answer that has exactly one: up to the end of its code fence, or of the answer. */
export function diffIn(text: string): string | undefined {
  const [header, another] = text.matchAll(HEADER);
  if (!header || another) return undefined;
  const diff = text.slice(header.index);
  const end = diff.search(/^`{3,}$/m);
  return end < 0 ? diff : diff.slice(0, end);
}
