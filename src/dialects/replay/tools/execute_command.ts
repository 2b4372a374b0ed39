import { type RunResult, shellExitCode } from '../../../engine/index.ts';
import { defineTool, hints, type ResultOutcome, text } from '../../dialect.ts';
import { expandHome } from '../paths.ts';

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
  render: (result, { timeout }) => tellRun(result, timeout),
});

function tellRun(result: RunResult, timeout: number): ResultOutcome {
  const footer = [
    result.stdoutTruncated ? '[stdout truncated at 512 KB]' : '',
    result.timedOut ? `[timed out after ${timeout} s]` : '',
    result.endedBy === 'too-many-processes' ? '[ended: too many processes]' : '',
    result.endedBy === 'too-much-memory' ? '[ended: too much memory]' : '',
    `[exit code: ${shellExitCode(result)}]`,
  ].filter((line) => line !== '');
  const content = [text(`${endLine(result.stdout || '(no output)')}${footer.join('\n')}`)];
  if (result.stderr !== '') {
    const notice = result.stderrTruncated ? '[stderr truncated at 512 KB]' : '';
    content.push(text(`[stderr]\n${notice ? endLine(result.stderr) + notice : result.stderr}`));
  }
  const kind = result.endedBy === 'itself' ? 'exit-code' : result.endedBy;
  if (kind === 'exit-code' && shellExitCode(result) === 0) return { result: { content } };
  return { result: { content, isError: true }, failure: { kind } };
}

function endLine(output: string): string {
  return output.endsWith('\n') ? output : `${output}\n`;
}
