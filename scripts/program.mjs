// Writes what the launcher starts: a bundle, made quick to begin, in the function that the launcher calls.
import { writeFileSync } from 'node:fs';
import { build, transform } from 'esbuild';

/** Takes the options of esbuild for one CommonJS file; gives its account of what went into it. */
export async function writeProgram(options) {
  const { outputFiles, metafile } = await build({
    ...options,
    write: false,
    sourcemap: 'inline',
    sourcesContent: false,
  });
  const program = outputFiles.find(({ path }) => path.endsWith(options.outfile));
  for (const { path, contents } of outputFiles) if (path !== program.path) writeFileSync(path, contents);
  // Short names take V8 half the time to read; the map is for whoever looks into a stack trace.
  const { code, map } = await transform(withoutCopies(program.text), {
    format: 'cjs',
    target: options.target,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
  });
  // On one line with the program, so that the map's line numbers stay true.
  writeFileSync(options.outfile, `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
  writeFileSync(`${options.outfile}.map`, map);
  return { metafile };
}

/**
 * For each import of a CommonJS module esbuild makes a copy of it, a getter for each name. What a module of Node,
 * or one that is evaluated late, gives is the same without; only its `default` is not.
 */
function withoutCopies(bundle) {
  const copy = /^(\s*(?:var )?(\w+) = )__toESM\((require(?:_\w+\(\)|\("node:[^"]+"\))), 1\)/gm;
  return bundle.replace(copy, (whole, start, name, module) =>
    bundle.includes(`${name}.default`) ? whole : `${start}${module}`,
  );
}
