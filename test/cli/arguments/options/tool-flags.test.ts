/** Which tools the command line chooses. */
import { describe, expect, it } from 'vitest';
import {
  chooseTools,
  parseMaxTokens,
  type ToolValues,
} from '../../../../src/cli/arguments/options/tool-flags.ts';
import { UsageError } from '../../../../src/cli/usage-error.ts';
import { replay } from '../../../../src/dialects/replay/index.ts';
import { standard } from '../../../../src/dialects/standard/index.ts';

function names(values: ToolValues, dialects = [standard]): string[] {
  return chooseTools(dialects, values).flatMap(({ tools }) => tools.map(({ name }) => name));
}

describe('the tools on offer', () => {
  it('are all but run_command, which must be allowed', () => {
    const all = standard.tools.map(({ name }) => name);
    expect(names({})).toEqual(all.filter((name) => name !== 'run_command'));
    expect(names({ 'allow-run': true })).toEqual(all);
  });

  it('are those that --tools names, in the order of the dialect', () => {
    expect(names({ tools: ['undo,read_text_file', 'grep_files'] })).toEqual([
      'read_text_file',
      'grep_files',
      'undo',
    ]);
    expect(names({ tools: ['execute_command'] }, [replay])).toEqual(['execute_command']);
  });

  it('are those of the sets that --toolset names', () => {
    expect(names({ toolset: ['search'] })).toEqual(['search_files', 'grep_files']);
    expect(names({ toolset: ['read,search,edit'] })).toEqual(names({}));
    expect(names({ toolset: ['all'] })).toEqual(names({}));
    expect(names({ toolset: ['search'], tools: ['undo'] })).toEqual(['search_files', 'grep_files', 'undo']);
  });

  it('belong to a set each', () => {
    expect(new Set(Object.values(standard.toolsets!).flat())).toEqual(
      new Set(standard.tools.map(({ name }) => name)),
    );
  });

  it.each<[string, ToolValues]>([
    ["--tools: unknown tool 'grep'", { tools: ['grep'] }],
    ["--tools: unknown tool 'run_command'", { tools: ['run_command'] }],
    ["--toolset: unknown set 'write'", { toolset: ['write'] }],
  ])('are not guessed: %s', (message, values) => {
    expect(() => names(values)).toThrow(message);
    expect(() => names(values)).toThrow(UsageError);
  });

  it('belong to no set in other dialects', () => {
    expect(() => names({ toolset: ['read'] }, [replay])).toThrow('--toolset is for the standard dialect');
  });
});

describe('the value of --max-tokens', () => {
  it('is a number', () => {
    expect(parseMaxTokens(undefined)).toBeUndefined();
    expect(parseMaxTokens('500')).toBe(500);
  });

  it.each(['0', '199', '-5', '1e6', 'many', ''])('is not %j', (text) => {
    expect(() => parseMaxTokens(text)).toThrow(UsageError);
  });
});
