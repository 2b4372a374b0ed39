/** Tabs for the calls, the tree and the charts, on small screens. */
import { part } from './elements/dom.ts';

const TABS = ['calls', 'tree', 'charts'] as const;

export function startTabs(): void {
  const choose = (chosen: (typeof TABS)[number]) => {
    document.body.dataset.tab = chosen;
    for (const tab of TABS) part(`tab-${tab}`).setAttribute('aria-pressed', String(tab === chosen));
  };
  for (const tab of TABS) part(`tab-${tab}`).addEventListener('click', () => choose(tab));
  choose('calls');
}
