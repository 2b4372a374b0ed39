/**
 * Identifies servers: files and directories that a server makes in shared places carry its id in their names, so that
 * other servers can tell whether it is gone.
 *
 * A pid means something only on its own machine, since its last start, in its own PID namespace. Containers that share
 * /tmp or a volume see each other's files but not each other's processes, so they judge foreign files by age alone.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/** What a server on another machine or in another container left is removed after this long. */
export const FOREIGN_AGE_MS = 24 * 3_600_000;

/** `domain-pid-started`: where its pid is valid, its pid, and when that process started. */
export const SERVER_ID = '([0-9a-z]+)-(\\d+)-([0-9a-z]+)';

let own: string | undefined;

export function serverId(): string {
  own ??= `${pidDomain()}-${process.pid}-${processOf('self')?.started ?? '0'}`;
  return own;
}

/** Whether the server with this id is gone, as far as can be known here. */
export function isGone(id: string, ageMs: number): boolean {
  // A quick exit: a change of thousands of files has thousands of drafts of its own beside them.
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

/** The same text for all processes that see each other under the same pids, and for no others. */
function pidDomain(): string {
  if (ownDomain !== undefined) return ownDomain;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const hash = createHash('sha256')
      .update(`${boot} ${readlinkSync('/proc/self/ns/pid')}`)
      .digest();
    ownDomain = hash.readUIntBE(0, 6).toString(36);
  } catch {
    // On other systems a pid is valid on the whole machine, but nothing identifies that machine.
    ownDomain = process.platform === 'linux' ? UNKNOWN : process.platform;
  }
  return ownDomain;
}

/**
 * Reads fields 3 and 22 of /proc/PID/stat; the command name before them may hold spaces and parentheses. A killed
 * process keeps its pid until its parent reaps it.
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
