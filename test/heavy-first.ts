/** The order of the test files: those that take longest begin first, so that none of them is left alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HEAVIEST_FIRST = [
  'server/stalls',
  'commands/contained',
  'commands/unsteady-sandbox',
  'journal/snapshot/snapshot',
  'page/chromium',
  'files/crash',
  'server/answer-size',
  'page/chromium-look',
  'undo/many-files',
  'commands/shown-of-home',
  'commands/memory-sum',
  'dialects/replay/replay',
  'cli/history',
  'server/http-flood',
  'standard/budget',
  'confine/descriptors',
  'arguments/flags',
  'commands/git-detours',
  'policy/hidden-scripts',
  'server/http-program',
  'commands/own-package',
  'dialects/replay/searching',
  'journal/snapshot/command-changes',
  'confine/attack',
  'server/progress',
  'server/stdio-protocol',
  'commands/git-control',
  'cli/forget',
  'undo/interrupted-undo',
  'dialects/replay/hard-times',
  'confine/withheld',
  'commands/survival',
];

export class HeavyFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = HEAVIEST_FIRST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? HEAVIEST_FIRST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
