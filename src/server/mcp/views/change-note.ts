/** Adds to the result of a call what the view needs to know about the change that the call has made. */
import type { ToolOutcome } from '../../../dialects/dialect.ts';
import type { App, OfferedTool } from '../app.ts';
import { offeredTools } from '../tools/offered-tools.ts';

/** The key in `_meta`. The view in `change-view/` reads the same key. */
const CHANGE_META = 'cofferdam/change';

/** Names the journal entries, and the tools with which the view shows and undoes them. */
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
