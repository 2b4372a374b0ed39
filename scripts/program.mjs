// Writes the bundles that the launcher runs: minified, so that they start quickly, in a function that it calls.
import { writeFileSync } from 'node:fs';
import { build, transform } from 'esbuild';

/** Takes esbuild's options for one CommonJS file, and returns esbuild's list of what went into it. */
export async function writeProgram(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    write: false,
    sourcemap: 'inline',
    sourcesContent: false,
  });
  const program = outputFiles.find(({ path }) => path.endsWith(options.outfile));
  for (const { path, contents } of outputFiles) if (path !== program.path) writeFileSync(path, contents);
  // V8 reads short names in half the time; the map is for people who read a stack trace.
  const { code, map } = await transform(withoutCopies(program.text), {
    format: 'cjs',
    target: options.target,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
  });
  // The function begins on the program's first line, so that the line numbers of the map stay right.
  writeFileSync(options.outfile, `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
  writeFileSync(`${options.outfile}.map`, map);
  return { metafile };
}

/**
 * For each import of a CommonJS module esbuild makes a copy with a getter for each name. For modules of Node, and for
 * those that are evaluated late, the module itself does as well, unless somebody uses its `default`.
 */
function withoutCopies(bundle) {
  const copy = /^(\s*(?:var )?(\w+) = )__toESM\((require(?:_\w+\(\)|\("node:[^"]+"\))), 1\)/gm;
  return bundle.replace(copy, (whole, start, name, module) =>
    bundle.includes(`${name}.default`) ? whole : `${start}${module}`,
  );
}
