/** Programs that tests build to start them: each is made once in a test run, whichever worker needs it first. */
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const directory = process.env.COFFERDAM_TESTS_BUILT!;
let drafts = 0;
const REQUIRE =
  "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);";

/** Where a program is. `make` writes it to another name first: somebody else may be building it too. */
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
      // Somebody else was first: one directory cannot take the place of another.
      if (!existsSync(path)) throw error;
    }
  }
  return path;
}

/** A TypeScript file, given from the top of the repository, as one file of JavaScript. */
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
      // Packages in the older module format ask for modules of Node while they run.
      ...(name.endsWith('.mjs') && { banner: { js: REQUIRE } }),
      logLevel: 'error',
    }),
  );
}
