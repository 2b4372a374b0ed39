/** A call of one of the official server's 14 tools, on the tree of drop-in-tree.ts. */

export interface Call {
  tool: string;
  args: Record<string, unknown>;
}

/** Paths without a file that may be read. */
export const ODD_PATHS = [
  ...['{ROOT}/missing.txt', '{ROOT}/missing/deeper.txt', 'missing.txt', '{ROOT}/plain.txt/below'],
  ...['{ROOT}/link-out', '{ROOT}/link-out-dir/secret.txt', '{ROOT}/link-broken', '{ROOT}/link-broken-out'],
  ...['{ROOT}/link-loop', '{ROOT}/../outside/secret.txt', '/etc/hostname', '../outside/secret.txt'],
  ...['C:\\Users\\me\\a.txt', 'c:/a.txt', '{ROOT}-beside/a.txt', `{ROOT}/${'n'.repeat(300)}`],
];

export function each(tool: string, paths: readonly string[], more: Record<string, unknown> = {}): Call[] {
  return paths.map((path) => ({ tool, args: { path, ...more } }));
}
