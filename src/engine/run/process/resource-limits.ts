/** Limits that the kernel enforces on a command. A short shell script sets them and then executes the command. */

export interface ResourceLimits {
  /** How much memory a process may map, in MiB. Do not use it for programs that reserve far more than they use. */
  addressSpaceMiB?: number;
  /** How much private memory a process may write to, in MiB. */
  dataMiB?: number;
  /** How large the files that it writes may be, in MiB. */
  fileMiB?: number;
  openFiles?: number;
  /** How many processes the whole run may have. The kernel can only count them in a separate user namespace. */
  processes?: number;
}

/** How much memory all processes of a run may have together, in MiB. The server ends a run that exceeds it. */
export const MAX_MEMORY_MIB = 4096;
/** How many processes a run may have at one time. The server ends a run that exceeds it. */
export const MAX_PROCESSES = 512;

const SHELL = '/bin/sh';

/**
 * The argv that sets the limits and then executes the command. It skips a limit when a stricter one is already in
 * force. With `from`, the shell looks for the command in that directory alone, so that the command's own messages show
 * its bare name.
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
