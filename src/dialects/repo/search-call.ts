/** What repo's walks share: how long they may take, and how they tell their progress. */
import type { ToolContext } from '../dialect.ts';
import { settingOf } from './settings.ts';

/** Timers cannot wait any longer. */
const LONGEST_MS = 2 ** 31 - 1;

export function searchCall({
  settings,
  signal,
  progress,
}: Pick<ToolContext, 'settings' | 'signal' | 'progress'>) {
  return {
    signal,
    timeoutMs: Math.min(settingOf(settings, 'SEARCH_TIMEOUT_MS'), LONGEST_MS),
    onProgress: ({ files }: { files: number }) => progress(files, `${files} files`),
  };
}
