/** Limits that the kernel enforces on a command. A short shell script in front of the command sets them. */

export interface ResourceLimits {
  /** Memory that a process may map, in MiB. Not for programs that reserve much more than they use. */
  addressSpaceMiB?: number;
  /** Private memory that a process may write to, in MiB. */
  dataMiB?: number;
  /** Size of any file that it writes, in MiB. */
  fileMiB?: number;
  openFiles?: number;
  /** Processes of the whole run; only in a user namespace of its own can the kernel count them. */
  processes?: number;
}

/** The memory of all processes of a run together, in MiB. The server ends a run that exceeds it. */
export const MAX_MEMORY_MIB = 4096;
/** Processes of a run at one time. The server ends a run that exceeds it. */
export const MAX_PROCESSES = 512;

const SHELL = '/bin/sh';

/**
 * The argv that sets the limits and then executes the command. It skips a limit that it cannot set because a stricter
 * one holds already. With `from`, the shell looks for the command in that directory alone, so that the command's own
 * messages carry its bare name.
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
