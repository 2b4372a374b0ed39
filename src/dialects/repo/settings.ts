/** The numbers that environment variables may set, with the defaults of the reference. */
import type { ToolContext } from '../dialect.ts';

const DEFAULTS = {
  MAX_FILE_SIZE_BYTES: 1_048_576,
  SEARCH_TIMEOUT_MS: 30_000,
  MAX_SEARCH_RESULTS: 100,
} as const;

type Setting = keyof typeof DEFAULTS;
type Settings = ToolContext['settings'];

/** What is wrong with the settings, in one line. The server checks this before it serves anything. */
export function settingsProblem(settings: Settings): string | undefined {
  for (const name of Object.keys(DEFAULTS)) {
    const value = settings[name];
    if (value === undefined || isPositiveInteger(value)) continue;
    return `${name} must be a positive integer, not ${JSON.stringify(value.slice(0, 80))}`;
  }
  return undefined;
}

export function settingOf(settings: Settings, name: Setting): number {
  const value = settings[name];
  return value === undefined ? DEFAULTS[name] : Number(value);
}

function isPositiveInteger(value: string): boolean {
  return /^\d+$/.test(value) && Number(value) > 0 && Number.isSafeInteger(Number(value));
}
