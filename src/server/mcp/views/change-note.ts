/** What the result of a call tells the view about the change that the call has made. */
import type { ToolOutcome } from '../../../dialects/dialect.ts';
import type { App, OfferedTool } from '../app.ts';
import { offeredTools } from '../tools/offered-tools.ts';

/** The name in `_meta`; the view knows it, too. */
const CHANGE_META = 'cofferdam/change';

/** Names the entries, and the tools by which the view looks at them and takes them back. */
export function withChange(
  outcome: ToolOutcome,
  entries: readonly string[],
  { app, offered: { tool, dialect } }: { app: App; offered: OfferedTool },
): ToolOutcome {
  if (!('result' in outcome) || entries.length === 0 || !tool.hasChangeView || !dialect.changeView)
    return outcome;
  const { shown, forViews, byName } = offeredTools(app);
  const named = (own: string) =>
    [...shown, ...forViews].find(({ name }) => {
      const offered = byName.get(name);
      return offered?.dialect === dialect && offered.tool.name === own;
    })?.name;
  const [show, undo] = [named(dialect.changeView.show.name), named(dialect.changeView.undo)];
  const change = { entries, ...(show !== undefined && { show }), ...(undo !== undefined && { undo }) };
  const { result } = outcome;
  return { ...outcome, result: { ...result, _meta: { ...result._meta, [CHANGE_META]: change } } };
}
