/** Searches contents by a plan: the threads search all files, or only those that ripgrep names. */
import { scanRootOf } from '../confine/scan/cursor.ts';
import { fail } from '../failures.ts';
import { limits } from '../limits.ts';
import type { Plan, SearchPlan } from './plan/plan.ts';
import type { GrepQuery, GrepResult } from './query.ts';
import { FirstByPath } from './queue/first-by-path.ts';
import { grepResult } from './results/results.ts';
import { candidateFiles } from './ripgrep/ripgrep.ts';
import { requireRootReadable, type SearchRoot, selectionOf } from './walk/search-root.ts';
import type { FoundFile, ThreadResult } from './workers/jobs.ts';
import { type JobTemplate, type RunningSearch, runJob } from './workers/run-job.ts';

/** How long the threads search alone before ripgrep starts: a search that ends early needs no process. */
const HEAD_START_MS = 40;

export async function grepWith(
  root: SearchRoot,
  running: RunningSearch,
  query: GrepQuery,
  plan: SearchPlan,
): Promise<GrepResult> {
  const { contextLines = 0, maxMatches, maxLineLength, summary } = query;
  const countAll = summary === undefined ? (query.countAll ?? false) : summary === 'counts';
  const { maxCharacters = summary ? Number.POSITIVE_INFINITY : limits.foundCharacters } = query;
  const wanted = maxMatches + 1;
  const found = new FirstByPath<FoundFile>(wanted, maxCharacters);
  const collect = (files: readonly FoundFile[]) => {
    const before = found.bound;
    for (const file of files) found.add(file.path, summary ? 1 : file.matches, file, file.characters);
    if (found.bound !== undefined && found.bound !== before) running.queue.setBound(found.bound);
  };
  const job = (candidates: readonly string[] | undefined): JobTemplate => ({
    kind: 'grep',
    root: scanRootOf(root.dir),
    selection: selectionOf(query),
    ignoreBase: root.ignoreBase,
    withheld: root.withheld,
    matcher: plan.matcher,
    options: { contextLines, maxLineLength, countAll, maxCharacters, skip: query.skipInFile ?? 0 },
    wanted,
    summary,
    countFiles: query.countFiles ?? false,
    charsets: running.charsets,
    candidates,
  });
  const finish = (threadResults: readonly ThreadResult[], { plan, why }: Plan) => {
    requireRootReadable(root, threadResults);
    const cap = { matches: maxMatches, characters: maxCharacters };
    return grepResult({ found, threadResults, cap, contextLines, countAll, summary, plan: { plan, why } });
  };

  if (plan.ripgrepPattern === undefined) return finish(await runJob(running, job(undefined), collect), plan);
  const first: ThreadResult[] = [];
  // A query that asks for ripgrep gets it at once.
  if (query.plan !== 'ripgrep') {
    first.push(...(await runJob(running, job(undefined), collect, HEAD_START_MS)));
    if (!running.queue.hasUnits && running.overflow.length === 0) {
      return finish(first, { plan: 'workers', why: 'the search ended before ripgrep was needed' });
    }
    running.queue.reopen();
  }
  const candidates = await candidateFiles(root.dir.handlePath, plan.ripgrepPattern, {
    isAnyEncoding: running.charsets !== undefined,
    signal: running.limits.signal,
  });
  running.limits.check();
  const rest = await runJob(running, job(candidates), collect);
  const ran: Plan = candidates
    ? plan
    : { plan: 'workers', why: 'ripgrep could not say which files may match' };
  return finish([...first, ...rest], ran);
}

export function checkNumbers(query: GrepQuery): void {
  const { maxMatches, contextLines = 0, maxLineLength = 1, skipInFile = 0 } = query;
  const problems = [
    { field: 'maxMatches', value: maxMatches, least: 1 },
    { field: 'contextLines', value: contextLines, least: 0 },
    { field: 'skipInFile', value: skipInFile, least: 0 },
    { field: 'maxLineLength', value: maxLineLength, least: 1 },
  ].flatMap(({ field, value, least }) =>
    Number.isInteger(value) && value >= least
      ? []
      : [{ field, missing: false, message: `must be a whole number, at least ${least}` }],
  );
  if (problems.length > 0) fail({ kind: 'bad-arguments', problems });
}
