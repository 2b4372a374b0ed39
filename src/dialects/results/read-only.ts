/** Why a file is protected in a writable directory, in words that all dialects share. */
import type { ReadOnlyReason } from '../../engine/index.ts';

/** Ends a sentence after 'cannot be changed:'. Undefined when the server or the directory is read-only. */
export function whyProtected(why: ReadOnlyReason): string | undefined {
  switch (why) {
    case 'program':
      return 'it is, or contains, part of the running Cofferdam program';
    case 'git':
      return 'Git runs programs that are named there, so it is read-only unless the server was started with --allow-git-config';
    case 'ignore-file':
      return 'it says what this server hides, and only its owner may say that';
    case 'workspace-file':
      return 'the servers of a fleet know this directory by it';
    default:
      return undefined;
  }
}
