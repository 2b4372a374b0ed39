/** The order of the test files: those that take longest begin first, so that none of them is left alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HEAVIEST_FIRST = [
  'server/stalls',
  'commands/contained',
  'fleet/fleet',
  'page/chromium',
  'page/chromium-look',
  'commands/unsteady-sandbox',
  'engine/journal/snapshot/snapshot',
  'commands/memory-sum',
  'cli/history',
  'server/answer-size',
  'engine/undo/many-files',
  'cli/forget',
  'engine/files/crash',
  'commands/git-control',
  'commands/git-detours',
  'engine/journal/snapshot/command-changes',
  'cli/arguments/flags',
  'dialects/standard/budget',
  'dialects/standard/encodings',
  'state/postgres/contract',
  'engine/confine/names',
  'commands/own-package',
  'engine/confine/withheld',
  'server/stdio-protocol',
  'dialects/replay/hard-times',
  'dialects/replay/searching',
  'engine/run/policy/hidden-scripts',
  'engine/run/abuse',
  'commands/survival',
  'server/http-program',
  'server/http-flood',
  'server/progress',
  'commands/offered',
  'server/conformance',
  'engine/search/limits',
  'engine/search/trees',
  'engine/undo/interrupted-undo',
  'engine/confine/attack',
  'cli/served',
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
