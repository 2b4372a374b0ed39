/** Limits that the system itself holds a command to, set by a few words of shell in front of it. */

export interface ResourceLimits {
  /** Memory that a process may map, in MiB. Unfit for programs that reserve much more than they use. */
  addressSpaceMiB?: number;
  /** Private memory that a process may write to, in MiB. */
  dataMiB?: number;
  /** Size of any file that it writes, in MiB. */
  fileMiB?: number;
  openFiles?: number;
  /** Processes of the whole run; only where a user namespace of its own makes them countable. */
  processes?: number;
}

/** Beyond this much memory of all its processes together, in MiB, a run is ended. */
export const MAX_MEMORY_MIB = 4096;
/** Beyond this many processes at one time a run is ended. */
export const MAX_PROCESSES = 512;

const SHELL = '/bin/sh';

/**
 * The argv that first looks whether everything is mounted where it should be. bubblewrap follows links on the
 * way to a place in a root, and another process may have put one there since we looked.
 */
export function whenMounted(places: readonly string[], argv: readonly string[]): string[] {
  if (places.length === 0) return [...argv];
  const script = [
    `seen=' '`,
    'while read -r _ _ _ _ at _; do seen="$seen$at "; done </proc/self/mountinfo',
    'while [ "$1" != -- ]',
    'do case $seen in *" $1 "*) shift ;; *) echo "bwrap: $1 was moved meanwhile" >&2; exit 1 ;; esac',
    'done',
    'shift',
    'exec "$@"',
  ];
  return [SHELL, '-c', script.join('\n'), 'sh', ...places, '--', ...argv];
}

/**
 * The argv that sets the limits and then becomes the command. A limit that cannot be set, because a
 * stricter one holds already, is passed over. With `from`, the command is looked for in that directory
 * alone, so that it can go by its bare name in its own messages.
 */
export function withLimits(
  argv: readonly string[],
  limits: ResourceLimits,
  cpuSeconds: number,
  from?: string,
): string[] {
  const MiB = 1024;
  const set: [flag: string, value: number | undefined][] = [
    ['-c', 0],
    ['-t', cpuSeconds],
    ['-v', limits.addressSpaceMiB && limits.addressSpaceMiB * MiB],
    ['-d', limits.dataMiB && limits.dataMiB * MiB],
    ['-f', limits.fileMiB && limits.fileMiB * 2 * MiB],
    ['-n', limits.openFiles],
  ];
  const words = set.flatMap(([flag, value]) =>
    value === undefined ? [] : `ulimit ${flag} ${value} 2>/dev/null`,
  );
  if (limits.processes !== undefined) {
    words.push(`ulimit -u ${limits.processes} 2>/dev/null || ulimit -p ${limits.processes} 2>/dev/null`);
  }
  if (from !== undefined) words.push('PATH=$1; shift');
  const script = `${words.join('; ')}; exec "$@"`;
  return [SHELL, '-c', script, 'sh', ...(from === undefined ? [] : [from]), ...argv];
}
