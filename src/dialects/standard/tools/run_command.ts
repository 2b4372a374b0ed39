import { defineTool, hints } from '../../dialect.ts';
import { runOutcome } from '../run-outcome.ts';

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run Command',
  description: 'Run a shell line in the first directory. Answers output and exit code.',
  hints: hints.openWorld,
  startsPrograms: true,
  needsAllowRun: true,
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1 },
      timeout: { type: 'integer', minimum: 1, maximum: 600, default: 60, description: 'Seconds' },
    },
    required: ['command'],
  },
  async run({ command, timeout }, context) {
    const { engine, signal, printed } = context;
    const { path: cwd } = engine.roots.find(({ writable }) => writable) ?? engine.roots[0]!;
    const call = { cwd, timeoutMs: timeout * 1000, signal, onOutput: printed };
    return runOutcome(await engine.commands.runShellLine(command, call), timeout, context);
  },
  render: (outcome) => outcome,
});
