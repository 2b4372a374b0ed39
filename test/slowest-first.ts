/** Runs the slowest test files first, so that none of them is left running alone at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SLOWEST_FIRST = [
  'page/chromium',
  'fleet/fleet',
  'server/stalls',
  'commands/contained',
  'server/answer-size',
  'commands/unsteady-sandbox',
  'server/progress',
  'server/http-flood',
  'engine/run/abuse',
  'server/http-program',
  'server/resources',
  'commands/git-detours',
  'commands/abuse',
  'cli/start',
  'state/postgres/contract',
  'dialects/replay/hard-times',
  'cli/history/forget',
  'fleet/hostile',
  'engine/search/differential',
  'engine/journal/snapshot/snapshot',
  'cli/history/history',
  'server/stdio',
  'engine/undo/interrupted-undo',
  'server/page/page',
  'commands/own-package',
  'commands/execute_command',
  'dialects/replay/searching',
  'engine/run/process/ending',
  'server/http-limits',
  'engine/undo/many-files',
  'commands/memory-sum',
  'server/conformance',
  'engine/confine/descriptors',
  'engine/journal/retention/size-bound',
  'cli/clients/formats',
  'engine/run/process/run',
  'library/documents',
  'commands/run_command',
  'engine/confine/scan/listing-mutations',
  'dialects/standard/drop-in',
  'engine/confine/attack',
  'commands/git-control',
  'state/postgres/trace-days',
  'fleet/sessions',
  'engine/search/limits',
];

export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = SLOWEST_FIRST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at === -1 ? SLOWEST_FIRST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}
