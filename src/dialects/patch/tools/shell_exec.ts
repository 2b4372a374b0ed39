import { type RunResult, readingCommandNames, shellExitCode } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { MAX_TEXT_BYTES, textFits } from '../../results/result-size.ts';

export const shellExec = defineTool({
  name: 'shell_exec',
  title: 'Run a reading command',
  description: `Execute a whitelisted command directly, without a shell, in the root: ${readingCommandNames.join(', ')}. Use create_directory and move_file instead of mkdir and mv.`,
  hints: hints.readOnly,
  startsPrograms: true,
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', description: 'The command to run (must be in the whitelist)' },
      args: {
        type: 'array',
        items: { type: 'string' },
        default: [],
        description:
          'Argument list. Path-like args (starting with / or containing ..) are validated against root before the process is spawned.',
      },
    },
    required: ['command'],
  },
  run: ({ command, args }, { engine, signal, printed }) =>
    engine.commands.runReadingCommand(command, args, { signal, onOutput: printed }),
  render: async (result) =>
    [
      `exit_code: ${shellExitCode(result)}`,
      'stdout:',
      await stream(result.stdout, result.stdoutTruncated, ''),
      'stderr:',
      await stream(result.stderr, result.stderrTruncated, whyEnded(result)),
    ].join('\n'),
});

const STREAM_ROOM = MAX_TEXT_BYTES / 2;
/** What a control character takes in JSON. */
const BYTES_A_CONTROL = 6;

/** The stream as it was printed; notices stand on lines of their own behind it. */
async function stream(whole: string, truncated: boolean, note: string): Promise<string> {
  const output = (await textFits(whole, STREAM_ROOM)) ? whole : whole.slice(0, STREAM_ROOM / BYTES_A_CONTROL);
  const cut = output === whole ? '' : '[truncated: control characters make it too long for one answer]';
  const notices = [truncated ? '[truncated at 1 MiB]' : '', cut, note].filter((notice) => notice !== '');
  if (notices.length === 0) return output;
  const printed = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  return printed + notices.join('\n');
}

function whyEnded({ endedBy }: RunResult): string {
  if (endedBy === 'timeout') return '[ended after 30 s]';
  if (endedBy === 'too-much-memory') return '[ended: too much memory]';
  return endedBy === 'too-many-processes' ? '[ended: too many processes]' : '';
}
