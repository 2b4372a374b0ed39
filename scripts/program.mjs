// Writes the bundles that the launcher runs: minified, so that they start quickly, each as a function that it calls.
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
  // V8 reads short names in half the time. The source map is for people who read a stack trace.
  const { code, map } = await transform(withoutCopies(withLateUse(program.text)), {
    format: 'cjs',
    target: options.target,
    minify: true,
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
  });
  // The function begins on the program's first line, so that the line numbers in the source map stay right.
  writeFileSync(options.outfile, `(function (exports, require, module, __filename, __dirname) {${code}\n})`);
  writeFileSync(`${options.outfile}.map`, map);
  return { metafile };
}

/**
 * For each import of a CommonJS module, esbuild makes a copy with a getter for each name. For modules of Node, and for
 * those that are evaluated late, the module itself works as well, unless something uses its `default`.
 */
function withoutCopies(bundle) {
  const copy = /^(\s*(?:var )?(\w+) = )__toESM\((require(?:_\w+\(\)|\("node:[^"]+"\))), 1\)/gm;
  return bundle.replace(copy, (whole, start, name, module) =>
    bundle.includes(`${name}.default`) ? whole : `${start}${module}`,
  );
}

/**
 * Loads a module that should be evaluated late (see bundle-plugins.mjs) at each use instead of once at the start:
 * `import_a.name` becomes `(require_a()).name`. A module that esbuild wraps as CommonJS is still evaluated only once.
 */
function withLateUse(bundle) {
  const wrapped = bundle.matchAll(/^var (require_\w+) = __commonJS\(\{\n\s*"late:(node:)?/gm);
  const late = new Map(Array.from(wrapped, ([, name, ofNode]) => [name, ofNode !== undefined]));
  const taken = new Map();
  const declaration = /^\s*(?:var )?(import_\w+) = __toESM\((require_\w+)\(\)(?:, 1)?\);\n/gm;
  for (const [, name, module] of bundle.matchAll(declaration)) if (late.has(module)) taken.set(name, module);
  for (const [name, module] of taken) {
    const whole = new RegExp(`\\b${name}\\b(?!\\.| = __toESM|[;,])`).exec(bundle);
    const hasDefault = !late.get(module) && bundle.includes(`${name}.default`);
    if (whole || hasDefault)
      throw new Error(`${name} is used as a whole, so that it cannot be evaluated late`);
  }
  const ofModule = (name) => `(${taken.get(name)}())`;
  return (
    bundle
      .replace(declaration, (code, name) => (taken.has(name) ? '' : code))
      // The default export of a module of Node is the module itself.
      .replace(/\b(import_\w+)\.(default\b)?/g, (code, name, isDefault) =>
        taken.has(name) ? `${ofModule(name)}${isDefault ? '' : '.'}` : code,
      )
  );
}
