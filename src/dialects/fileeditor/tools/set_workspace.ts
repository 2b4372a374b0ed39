import { EngineFailure } from '../../../engine/index.ts';
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
    try {
      const [root] = (await chooseWorkspace(context, path)).roots;
      return { chosen: root!.path };
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.facts.kind !== 'outside') throw error;
      const { engine, session } = context;
      const fixed = session.workspaceIsFixed ? session.workspace!.roots[0]!.path : undefined;
      return { failure: error.facts, fixed, allowed: engine.roots.map((root) => root.path) };
    }
  },
  render(outcome, { path }) {
    if ('chosen' in outcome) return `Successfully set workspace root to: ${outcome.chosen}`;
    if (outcome.fixed !== undefined)
      return failedWith(
        outcome.failure,
        `Access denied: the address of this connection names the workspace ${outcome.fixed}; to work in another directory, connect with that one as ?workspace=`,
      );
    const inside = `choose one of these or a directory inside: ${outcome.allowed.join(', ')}`;
    return failedWith(
      outcome.failure,
      `Access denied: ${path} is outside the allowed directories; ${inside}`,
    );
  },
});
