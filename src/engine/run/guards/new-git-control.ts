/**
 * Renames new files and repositories of a sandboxed command from which Git would run programs. No mount can prevent a
 * new name, so the server looks for such names when the command has ended.
 */
import { type GitPlaces, withHeld } from '../../confine/protect/git-places.ts';
import { findNewGitPlaces } from '../../confine/protect/new-git-places.ts';
import type { Wall } from '../../confine/wall.ts';
import type { RunResult } from '../process/run.ts';
import { renameRefused, renameRefusedIn, withNotes } from './rename-refused.ts';

const UNSEEN = 'cofferdam: the command made too many files to look for Git repositories among them';
const WHY =
  'Git would run programs that it names; start the server with --allow-git-config to let commands do that';

/** The result of the command, with a note at the end of its standard error for each name that the server renamed. */
export async function withoutNewGitControl(
  wall: Wall,
  cwd: string,
  before: GitPlaces,
  result: RunResult,
): Promise<RunResult> {
  const { repositories, control, complete } = await findNewGitPlaces(wall.roots, cwd, before);
  const notes = [
    // Without its HEAD, Git does not take a directory for a repository. Everything else in it stays.
    ...[...repositories].flatMap(([path, place]) => {
      const what = `${path} was made into a Git repository, and its HEAD renamed`;
      return withHeld(place, (dir) => renameRefusedIn(dir, 'HEAD', what, WHY)) ?? [];
    }),
    ...control.flatMap((path) => renameRefused(wall, path, `${path} was made, and renamed`, WHY)),
    ...(complete ? [] : [UNSEEN]),
  ];
  return withNotes(result, notes);
}
