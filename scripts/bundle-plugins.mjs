// Keeps the start of the program short: Node reads or evaluates these parts only when something first uses them.
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { build } from 'esbuild';

/** Packages in a file of their own: most clients on stdio need no protocol library, and no server on stdio needs OAuth. */
const APART = {
  '@modelcontextprotocol/server': './protocol.cjs',
  '@modelcontextprotocol/server/stdio': './protocol.cjs',
  jose: './oauth.cjs',
};
/** Modules of Node that take milliseconds to load. */
const BUILTINS = [
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'https',
  'module',
  'timers/promises',
  'tls',
  'worker_threads',
  'zlib',
];
/** Modules of ours that import many others: what only a call, or a command of the command line, needs. */
const OURS = [
  'cli/call.ts',
  'cli/doctor.ts',
  'cli/forget.ts',
  'cli/history.ts',
  'cli/serve-http.ts',
  'cli/tools.ts',
  'cli/trace.ts',
  'cli/undo.ts',
  'dialects/arguments.ts',
  'engine/journal/record/journal-recorder.ts',
  'engine/journal/retention/forget.ts',
  'engine/journal/snapshot/command-changes.ts',
  'engine/kernel/kernel.ts',
  'engine/run/commands.ts',
  'engine/run/policy/reading-commands.ts',
  'engine/run/process/run.ts',
  'engine/run/sandbox/sandbox.ts',
  'engine/search/ripgrep/ripgrep.ts',
  'engine/search/search.ts',
  'engine/search/walk/file-page.ts',
  'engine/search/walk/search-root.ts',
  'engine/stored-history.ts',
  'engine/text/diff/unified-diff.ts',
  'engine/text/patch/parse-files.ts',
  'engine/text/patch/planned-files.ts',
  'engine/text/rewrite.ts',
  'engine/undo/diff.ts',
  'engine/undo/plan.ts',
  'engine/undo/undo.ts',
];

/**
 * Puts off the evaluation of modules that the first answers do not need, until something uses one of their exports.
 * A class that extends an exported class, or a call at the top level of a module, uses it at once: that works, but
 * gains nothing.
 */
export const lateModules = {
  name: 'late-modules',
  setup({ onResolve, onLoad }) {
    const ours = new Set(OURS.map((path) => resolve('src', path)));
    // A file that somebody moved would lose its place here in silence, and the start its speed.
    for (const file of ours) if (!existsSync(file)) throw new Error(`${file} is gone: mend the list OURS`);
    const late = (path, namespace, real) => (namespace === 'late' ? real : { path, namespace: 'late' });
    onResolve({ filter: /^node:/ }, ({ path, namespace }) => {
      if (BUILTINS.includes(path.slice('node:'.length)))
        return late(path, namespace, { path, external: true });
    });
    onResolve({ filter: /^(?:@|jose$)/ }, ({ path, namespace }) => {
      if (path in APART) return late(path, namespace, { path: APART[path], external: true });
    });
    onResolve({ filter: /\.ts$/ }, ({ path, importer, namespace }) => {
      const file = resolve(dirname(importer), path);
      if (ours.has(file)) return late(file, namespace, { path: file });
    });
    onLoad({ filter: /^/, namespace: 'late' }, async ({ path }) => {
      const names = isAbsolute(path) ? await exportsOf(path) : Object.keys(await import(path));
      return { contents: lateModule(path, names), resolveDir: dirname(path) };
    });
  },
};

async function exportsOf(path) {
  const { metafile } = await build({ entryPoints: [path], format: 'esm', write: false, metafile: true });
  return Object.values(metafile.outputs)[0].exports;
}

function lateModule(path, names) {
  const exported = names.filter((name) => name !== 'default');
  return `
    for (const name of ${JSON.stringify(exported)})
      Object.defineProperty(exports, name, { enumerable: true, get: () => require(${JSON.stringify(path)})[name] });
  `;
}
