/** A lone surrogate in an argument, as `\ud800` in JSON makes it, never becomes a replacement character in a file. */
import { describe, expect, it } from 'vitest';
import { RawClient } from '../client.ts';
import { layOut, readBack, temporaryDirectory } from '../tree.ts';

const TORN = '\ud800';
const edits = [{ oldText: 'a', newText: TORN }];
const calls: Record<string, [tool: string, args: object][]> = {
  replay: [
    ['write_file', { path: 'b.txt', content: `x${TORN}` }],
    ['write_file', { path: `b${TORN}.txt`, content: 'x' }],
    ['create_directory', { path: `b${TORN}` }],
    ['move_file', { source: 'a.txt', destination: `b${TORN}` }],
    ['edit_file', { path: 'a.txt', edits }],
    ['edit_files', { paths: ['*.txt'], edits }],
  ],
  patch: [
    ['append', { path: 'a.txt', content: TORN }],
    ['write_file', { path: 'b.txt', content: TORN }],
    ['patch_apply', { path: 'a.txt', patch: `--- a\n+++ b\n@@ -1 +1 @@\n-a\n+${TORN}\n` }],
  ],
  workspace: [
    ['write_file', { file: 'b.txt', content: TORN }],
    ['edit_file', { file: 'a.txt', find: 'a', replace: TORN }],
    ['mkdir', { dir: TORN }],
  ],
  fileeditor: [
    ['write_files', { path: ['b.txt'], content: ['x', TORN].slice(1), line_count: 1 }],
    ['insert_contents', { path: 'a.txt', line: 1, content: TORN }],
    ['search_and_replace', { path: 'a.txt', search: 'a', replace: TORN }],
    ['apply_diffs', { path: 'a.txt', search_content: 'a', replace_content: TORN, start_line: 1 }],
  ],
};

describe('a lone surrogate', () => {
  for (const [dialect, tried] of Object.entries(calls)) {
    it(`is refused with a message by every tool of ${dialect} that writes`, async () => {
      const directory = temporaryDirectory();
      layOut(directory.path, { 'a.txt': 'a\n' });
      const client = await RawClient.start(['--dialect', dialect, '--no-journal', directory.path]);
      try {
        if (dialect === 'fileeditor') await client.call('set_workspace', { path: directory.path });
        for (const [tool, args] of tried) {
          const { result, error } = await client.call(tool, args);
          expect(error !== undefined || result?.isError === true, tool).toBe(true);
          expect(JSON.stringify(error ?? result), tool).toContain('is not valid Unicode');
        }
        expect(readBack(directory.path)).toEqual({ 'a.txt': 'a\n' });
      } finally {
        client.child.kill('SIGKILL');
        await client.exited;
        directory.remove();
      }
    });
  }
});
