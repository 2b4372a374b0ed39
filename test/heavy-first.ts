/** The order of the test files: those that take longest begin first, so that none of them is left alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const HEAVIEST_FIRST = [
  'server/stalls',
  'fleet/fleet',
  'commands/contained',
  'page/chromium',
  'page/chromium-look',
  'cli/history/history',
  'server/answer-size',
  'dialects/replay/searching',
  'commands/unsteady-sandbox',
  'commands/own-package',
  'server/progress',
  'engine/journal/snapshot/snapshot',
  'engine/run/policy/hidden-scripts',
  'cli/history/forget',
  'engine/search/trees',
  'commands/git-detours',
  'commands/offered',
  'commands/memory-sum',
  'server/resources',
  'server/stdio-protocol',
  'engine/journal/snapshot/command-changes',
  'commands/git-control',
  'dialects/repo/beyond-goldens',
  'dialects/standard/budget',
  'server/http-program',
  'cli/init',
  'server/http-flood',
  'dialects/standard/drop-in',
  'engine/glob/gitignore',
  'engine/confine/names',
  'dialects/standard/encodings',
  'engine/search/limits',
  'release',
  'server/launch',
  'engine/undo/many-files',
  'dialects/replay/hard-times',
  'fleet/undo-all',
  'engine/undo/interrupted-undo',
  'state/postgres/contract',
  'cli/start',
  'engine/confine/scan/listing-mutations',
  'cli/served',
  'engine/confine/withheld',
  'server/conformance',
  'engine/run/abuse',
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
