import { expandHome } from '../../../expand-home.ts';
import { defineTool, hints } from '../../dialect.ts';
import { runOutcome } from '../run-outcome.ts';

export const executeCommand = defineTool({
  name: 'execute_command',
  title: 'Execute command',
  description:
    'Run a shell command (/bin/sh -c) in an allowed directory. Answers stdout with an [exit code: N] footer, then stderr.',
  hints: hints.openWorld,
  startsPrograms: true,
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'Shell command (runs via /bin/sh -c)' },
      workingDirectory: {
        type: 'string',
        description: 'Absolute working dir (must be in allowed dirs; default: the first writable one)',
      },
      timeout: { type: 'integer', minimum: 1, maximum: 60, default: 30, description: 'Seconds' },
    },
    required: ['command'],
  },
  run({ command, workingDirectory, timeout }, { engine, signal, home, printed }) {
    const { path: first } = engine.roots.find((root) => root.writable) ?? engine.roots[0]!;
    const cwd = workingDirectory === undefined ? first : expandHome(workingDirectory, home);
    return engine.commands.runShellLine(command, {
      cwd,
      timeoutMs: timeout * 1000,
      signal,
      onOutput: printed,
    });
  },
  render: (result, { timeout }) => runOutcome(result, timeout),
});
