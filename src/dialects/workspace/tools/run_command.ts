import { defineTool, hints } from '../../dialect.ts';
import { success } from '../envelope.ts';
import { workspacePath } from '../paths.ts';

export const runCommand = defineTool({
  name: 'run_command',
  title: 'Run command',
  description:
    'Run a developer tool (node, npm, npx, python3, pytest, tsc) without a shell. A non-zero exit code is still ok:true.',
  hints: hints.openWorld,
  startsPrograms: true,
  input: {
    type: 'object',
    additionalProperties: false,
    required: ['command'],
    properties: {
      command: { type: 'string', minLength: 1 },
      args: { type: 'array', items: { type: 'string', maxLength: 400 }, maxItems: 64, default: [] },
      cwd: { type: 'string', default: '.' },
      timeoutMs: { type: 'integer', minimum: 100, maximum: 60000, default: 15000 },
      maxOutputBytes: { type: 'integer', minimum: 1024, maximum: 262144, default: 65536 },
    },
  },
  async run({ command, args, cwd, timeoutMs, maxOutputBytes }, { engine, signal, printed }) {
    const directory = workspacePath(cwd);
    const call = { cwd: directory, timeoutMs, maxOutputBytes, signal, onOutput: printed };
    return { directory, result: await engine.commands.runDeveloperTool(command, args, call) };
  },
  render({ directory, result }, { command, args }) {
    const { exitCode, signal, timedOut, endedBy, stdout, stderr, stdoutTruncated, stderrTruncated } = result;
    return success({
      command,
      args,
      cwd: directory,
      exitCode,
      signal,
      timedOut,
      stdout,
      stderr: endedBy === 'too-much-memory' ? `${stderr}[ended: too much memory]\n` : stderr,
      stdoutTruncated,
      stderrTruncated,
    });
  },
});
