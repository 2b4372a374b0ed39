/** Builds the programs that tests start. Each is built once in a test run, by the worker that needs it first. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const directory = process.env.COFFERDAM_TESTS_BUILT!;
let drafts = 0;
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** The path of a program. `make` writes it under another name first, because another worker may be building it too. */
export async function built(
  name: string,
  make: (path: string) => Promise<unknown> | unknown,
): Promise<string> {
  const path = join(directory, name);
  if (!existsSync(path)) {
    const draft = join(directory, `${process.pid}-${drafts++}-${name}`);
    await make(draft);
    try {
      renameSync(draft, path);
    } catch (error) {
      // Another worker was first: a directory cannot replace one that is there.
      if (!existsSync(path)) throw error;
    }
  }
  return path;
}

/** Bundles a TypeScript file, named from the top of the repository, into one JavaScript file. */
export function bundle(entry: string, name: string): Promise<string> {
  return built(name, (outfile) =>
    build({
      entryPoints: [fileURLToPath(new URL(`../${entry}`, import.meta.url))],
      outfile,
      bundle: true,
      platform: 'node',
      format: name.endsWith('.mjs') ? 'esm' : 'cjs',
      target: 'node20',
      external: ['@vscode/ripgrep', 'pg-native'],
      // Packages in the older module format require modules of Node at run time.
      ...(name.endsWith('.mjs') && { banner: { js: REQUIRE } }),
      logLevel: 'error',
    }),
  );
}
