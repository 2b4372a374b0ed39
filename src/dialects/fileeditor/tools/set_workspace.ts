import { catchFailure } from '../../catch-failure.ts';
import { defineTool, hints } from '../../dialect.ts';
import { failedWith } from '../failures.ts';
import { chooseWorkspace } from '../workspace.ts';

export const setWorkspace = defineTool({
  name: 'set_workspace',
  title: 'Set workspace',
  description:
    'Choose the directory to work in; the other tools need it. Their relative paths start there, and their absolute paths must lie inside it.',
  hints: hints.idempotentAdditive,
  usefulReadOnly: true,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The absolute path of the workspace root directory' },
    },
    required: ['path'],
  },
  async run({ path }, context) {
    const chosen = await catchFailure('outside', () => chooseWorkspace(context, path));
    const { engine, session } = context;
    const fixed = session.workspaceIsFixed ? session.workspace!.roots[0]!.path : undefined;
    return { chosen, fixed, allowed: engine.roots.map((root) => root.path) };
  },
  render({ chosen, fixed, allowed }, { path }) {
    if ('value' in chosen) return `Successfully set workspace root to: ${chosen.value.roots[0]!.path}`;
    const why =
      fixed === undefined
        ? `${path} is outside the allowed directories; choose one of these or a directory inside: ${allowed.join(', ')}`
        : `the address of this connection names the workspace ${fixed}; to work in another directory, connect with that one as ?workspace=`;
    return failedWith(chosen.failure, `Access denied: ${why}`);
  },
});
