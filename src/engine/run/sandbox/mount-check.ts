/** Makes a sandboxed command check its mounts before it starts. */

/**
 * The argv that first checks that every mount point is in its place, and then executes the command. bubblewrap follows
 * links on the way to a place in a root, and another process may have made one after the server checked.
 */
export function whenMounted(mountPoints: readonly string[], argv: readonly string[]): string[] {
  if (mountPoints.length === 0) return [...argv];
  const script = [
    `seen=' '`,
    'while read -r _ _ _ _ at _; do seen="$seen$at "; done </proc/self/mountinfo',
    'while [ "$1" != -- ]',
    'do case $seen in *" $1 "*) shift ;; *) echo "bwrap: $1 was moved meanwhile" >&2; exit 1 ;; esac',
    'done',
    'shift',
    'exec "$@"',
  ];
  return ['/bin/sh', '-c', script.join('\n'), 'sh', ...mountPoints, '--', ...argv];
}
