/**
 * Takes back what a sandboxed command made that Git would run programs from: a mount cannot keep a name from
 * appearing, so it is looked for when the command has ended.
 */
import type { Dir } from '../confine/dir.ts';
import type { GitPlaces } from '../confine/git-places.ts';
import { madeForGit } from '../confine/made-for-git.ts';
import type { Wall } from '../confine/wall.ts';
import type { RunResult } from './run-command.ts';

const REFUSED = '.refused';
const UNSEEN = 'cofferdam: so many files were made that nobody looked for Git repositories among them';
const ALLOW = 'start the server with --allow-git-config to let commands do that';

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
      setAside(wall, `${path}/HEAD`, `${path} was made into a Git repository, and its HEAD renamed`),
    ),
    ...control.flatMap((path) => setAside(wall, path, `${path} was made, and renamed`)),
    ...(complete ? [] : [UNSEEN]),
  ];
  if (notes.length === 0) return result;
  const gap = result.stderr === '' || result.stderr.endsWith('\n') ? '' : '\n';
  const stderr = `${result.stderr}${gap}${notes.join('\n')}\n`;
  return { ...result, stderr, stderrBytes: Buffer.byteLength(stderr) };
}

function setAside(wall: Wall, path: string, what: string): string[] {
  try {
    return wall.at(path, { straight: true, follow: false }, ({ dir, name }) => {
      const free = freeName(dir, `${name}${REFUSED}`);
      dir.rename(name, dir, free);
      return [`cofferdam: ${what} to ${free}: Git would run programs that it names; ${ALLOW}`];
    });
  } catch {
    // Gone already.
    return [];
  }
}

function freeName(dir: Dir, name: string): string {
  for (let count = 0; ; count++) {
    const free = count === 0 ? name : `${name}-${count}`;
    if (dir.lstat(free) === undefined) return free;
  }
}
