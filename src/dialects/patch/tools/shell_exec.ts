import { readingCommandNames } from '../../../engine/index.ts';
import { defineTool, hints } from '../../dialect.ts';
import { runText } from '../run-outcome.ts';

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
  render: runText,
});
