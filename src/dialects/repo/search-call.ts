/** The time limit and the progress messages of repo's searches and listings. */
import type { ToolContext } from '../dialect.ts';
import { settingOf } from './settings.ts';

/** The longest delay that a timer accepts. */
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
