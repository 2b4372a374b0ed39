/**
 * Names of the temporary files behind atomic writes, and which of them were left by a process that is gone.
 *
 * A name carries its writer: PID namespace, pid and start time. So a crash leaves nothing that the next
 * write cannot recognise as litter, and a reused pid or another container's live file is not mistaken for it.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

const PATTERN = /^\.cofferdam-([0-9a-z]+)-(\d+)-([0-9a-z]+)-[0-9a-f]{16}\.tmp$/;
const FOREIGN_LITTER_AGE_MS = 3_600_000;

interface Writer {
  namespace: string;
  pid: number;
  started: string;
}

let self: Writer | undefined;

export function temporaryName(): string {
  self ??= { namespace: pidNamespace(), pid: process.pid, started: processOf('self')?.started ?? '0' };
  return `.cofferdam-${self.namespace}-${self.pid}-${self.started}-${randomBytes(8).toString('hex')}.tmp`;
}

/** Listings leave these out: they exist for a moment and belong to nobody else. */
export function isTemporary(name: string): boolean {
  return name.startsWith('.cofferdam-') && PATTERN.test(name);
}

export function isLitter(name: string, ageMs: number): boolean {
  const found = PATTERN.exec(name);
  if (!found) return false;
  const [, namespace, pid, started] = found;
  if (namespace !== pidNamespace()) return ageMs > FOREIGN_LITTER_AGE_MS;
  if (!isAlive(Number(pid))) return true;
  const writer = processOf(pid!);
  return writer !== undefined && (writer.ended || writer.started !== started);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

let namespace: string | undefined;
function pidNamespace(): string {
  if (namespace !== undefined) return namespace;
  try {
    namespace = Number(/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 0).toString(36);
  } catch {
    namespace = '0';
  }
  return namespace;
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
