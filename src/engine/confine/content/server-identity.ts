/**
 * Whose a name in a shared directory is: a file or folder carries the server that made it, so that others can
 * tell whether that server is gone.
 *
 * A pid means something only on its own machine, since its last start, in its own PID namespace. Containers that
 * share /tmp or a volume see each other's names, and not each other's processes: theirs are judged by age alone.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** What a server of another machine or container has left is removed after this long. */
export const FOREIGN_AGE_MS = 24 * 3_600_000;

/** `domain-pid-started`: where its pid counts, its pid, and when that process started. */
export const SERVER_ID = '([0-9a-z]+)-(\\d+)-([0-9a-z]+)';

let own: string | undefined;

export function serverId(): string {
  own ??= `${pidDomain()}-${process.pid}-${processOf('self')?.started ?? '0'}`;
  return own;
}

/** Whether the server with this id is gone, as far as can be known here. */
export function isGone(id: string, ageMs: number): boolean {
  // A change of thousands of files has thousands of drafts of its own beside them.
  if (id === serverId()) return false;
  const [domain, pid = '0', started] = id.split('-');
  if (domain !== pidDomain() || domain === UNKNOWN) return ageMs > FOREIGN_AGE_MS;
  if (!isAlive(Number(pid))) return true;
  const now = processOf(pid);
  return now !== undefined && (now.ended || now.started !== started);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const UNKNOWN = '0';
let ownDomain: string | undefined;

/** The same for all processes that see each other under the same pids, and for no others. */
function pidDomain(): string {
  if (ownDomain !== undefined) return ownDomain;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const hash = createHash('sha256')
      .update(`${boot} ${readlinkSync('/proc/self/ns/pid')}`)
      .digest();
    ownDomain = hash.readUIntBE(0, 6).toString(36);
  } catch {
    // Elsewhere than on Linux a pid counts on its machine; nothing says which one that is.
    ownDomain = process.platform === 'linux' ? UNKNOWN : process.platform;
  }
  return ownDomain;
}

/**
 * Fields 3 and 22 of /proc/PID/stat; the command name before them may hold spaces and parentheses. A process
 * that was killed keeps its pid until its parent has asked after it.
 */
function processOf(pid: string): { ended: boolean; started: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { ended: fields[0] === 'Z' || fields[0] === 'X', started: Number(fields[19]).toString(36) };
  } catch {
    return undefined;
  }
}
