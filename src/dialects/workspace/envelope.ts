/** The shape of every result: `{"ok":true,"data":…}` or `{"ok":false,"error":…}`, as compact JSON text. */

import { type ToolResult, text } from '../dialect.ts';
import { surelyFits, truncateTexts } from '../results/result-size.ts';

/** All codes that the reference lists. */
export type ErrorCode =
  | 'VALIDATION_ERROR'
  | 'INVALID_PATH'
  | 'NOT_FOUND'
  | 'NOT_FILE'
  | 'NOT_DIRECTORY'
  | 'ALREADY_EXISTS'
  | 'DIRECTORY_NOT_EMPTY'
  | 'FILE_TOO_LARGE'
  | 'PATTERN_NOT_FOUND'
  | 'EDIT_CONFLICT'
  | 'COMMAND_NOT_ALLOWED'
  | 'INTERNAL_ERROR';

export interface WorkspaceError {
  code: ErrorCode;
  message: string;
  /** Facts for programs; always an object. */
  details: Record<string, unknown>;
}

export function success(data: Record<string, unknown>): string {
  return JSON.stringify({ ok: true, data });
}

export function failure({ code, message, details }: WorkspaceError): ToolResult {
  const whole = { code, message, details };
  const error = surelyFits(JSON.stringify(whole)) ? whole : truncateTexts(whole);
  return { content: [text(JSON.stringify({ ok: false, error }))], isError: true };
}
