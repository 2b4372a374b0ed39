/** repo: tools that read one repository; none of them changes anything. */
import type { Dialect } from '../dialect.ts';
import { repoError } from './failures.ts';
import { settingsProblem } from './settings.ts';
import { getRepoOverview } from './tools/get_repo_overview.ts';
import { listFiles } from './tools/list_files.ts';
import { readFile } from './tools/read_file.ts';
import { searchFiles } from './tools/search_files.ts';

export const repo: Dialect = {
  name: 'repo',
  summary: 'read-only: list, read, search and survey one repository; answers as JSON',
  tools: [listFiles, readFile, searchFiles, getRepoOverview],
  servesOne: true,
  rootSetting: 'ALLOWED_REPO_ROOT',
  checkSettings: settingsProblem,
  failed: (facts, tool) => ({ error: repoError(facts, tool) }),
};
