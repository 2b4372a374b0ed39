/** fileeditor: files of one chosen workspace, read and edited by line numbers. */
import type { Dialect } from '../dialect.ts';
import { failureResult } from './failures.ts';
import { applyDiffs } from './tools/apply_diffs.ts';
import { insertContents } from './tools/insert_contents.ts';
import { listFiles } from './tools/list_files.ts';
import { readFiles } from './tools/read_files.ts';
import { searchAndReplace } from './tools/search_and_replace.ts';
import { setWorkspace } from './tools/set_workspace.ts';
import { writeFiles } from './tools/write_files.ts';

export const fileeditor: Dialect = {
  name: 'fileeditor',
  summary: 'read and edit by line numbers, one file or many, in a workspace that the client chooses',
  tools: [setWorkspace, readFiles, writeFiles, applyDiffs, insertContents, searchAndReplace, listFiles],
  choosesWorkspace: true,
  failed: (facts, tool) => ({ result: failureResult(facts, tool) }),
};
