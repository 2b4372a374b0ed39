/** The order of the test files: those that take longest begin first, so that none of them is left alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HEAVIEST_FIRST = [
  'server/stalls',
  'page/chromium',
  'commands/contained',
  'journal/snapshot/snapshot',
  'server/answer-size',
  'page/chromium-look',
  'commands/unsteady-sandbox',
  'commands/shown-of-home',
  'cli/history',
  'server/http-program',
  'commands/memory-sum',
  'server/progress',
  'journal/snapshot/command-changes',
  'dialects/replay/replay',
  'dialects/replay/searching',
  'confine/attack',
  'arguments/flags',
  'files/crash',
  'commands/own-package',
  'cli/forget',
  'dialects/replay/hard-times',
  'server/http-flood',
  'confine/descriptors',
  'commands/git-detours',
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
