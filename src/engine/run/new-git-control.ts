/**
 * Takes back what a sandboxed command made that Git would run programs from: a mount cannot keep a name from
 * appearing, so it is looked for when the command has ended.
 */
import type { GitPlaces } from '../confine/protect/git-places.ts';
import { madeForGit } from '../confine/protect/made-for-git.ts';
import type { Wall } from '../confine/wall.ts';
import type { RunResult } from './process/run.ts';
import { setAside, withNotes } from './set-aside.ts';

const UNSEEN = 'cofferdam: so many files were made that nobody looked for Git repositories among them';
const WHY =
  'Git would run programs that it names; start the server with --allow-git-config to let commands do that';

/** The command's result; what was taken back is told at the end of its standard error. */
export async function withoutNewGitControl(
  wall: Wall,
  cwd: string,
  before: GitPlaces,
  result: RunResult,
): Promise<RunResult> {
  const { repositories, control, complete } = await madeForGit(wall.roots, cwd, before);
  const notes = [
    // Without its HEAD it is no repository to Git; everything else stays as it was made.
    ...repositories.flatMap((path) =>
      setAside(wall, `${path}/HEAD`, `${path} was made into a Git repository, and its HEAD renamed`, WHY),
    ),
    ...control.flatMap((path) => setAside(wall, path, `${path} was made, and renamed`, WHY)),
    ...(complete ? [] : [UNSEEN]),
  ];
  return withNotes(result, notes);
}
