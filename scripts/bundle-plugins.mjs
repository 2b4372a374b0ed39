// Keeps the start of the program short: Node reads or evaluates these parts only when something first uses them.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** Packages in separate files: most clients on stdio need no protocol library, and few servers OAuth or a database. */
const APART = {
  '@modelcontextprotocol/server': './protocol.cjs',
  '@modelcontextprotocol/server/stdio': './protocol.cjs',
  jose: './oauth.cjs',
  pg: './postgres.cjs',
  'jsonc-parser': './config-formats.cjs',
  'smol-toml': './config-formats.cjs',
  yaml: './config-formats.cjs',
};
/** Node's own modules that take milliseconds to load. */
const BUILTINS = [
  'child_process',
  'crypto',
  'fs/promises',
  'http',
  'https',
  'module',
  'os',
  'timers/promises',
  'tls',
  'worker_threads',
  'zlib',
];
/** Our own modules that the first answers do not need: only a call, or a command of the command line, uses them. */
const OURS = [
  'cli/arguments/config-file.ts',
  'cli/arguments/help.ts',
  'cli/arguments/options/init-flags.ts',
  'cli/arguments/suggest.ts',
  'cli/call.ts',
  'cli/completions/completions.ts',
  'cli/doctor.ts',
  'cli/state/fleet.ts',
  'cli/state/new-key.ts',
  'cli/state/state-copy.ts',
  'cli/history/forget.ts',
  'cli/history/history.ts',
  'cli/init.ts',
  'cli/serve/serve-http.ts',
  'cli/serve/start-up.ts',
  'cli/tools.ts',
  'cli/trace.ts',
  'cli/history/undo.ts',
  'dialects/arguments/arguments.ts',
  'dialects/results/token-budget.ts',
  'dialects/fileeditor/index.ts',
  'dialects/index.ts',
  'dialects/results/one-line.ts',
  'dialects/patch/index.ts',
  'dialects/read-texts.ts',
  'dialects/replay/index.ts',
  'dialects/repo/index.ts',
  'dialects/standard/editing/edit-text.ts',
  'dialects/standard/editing/edits.ts',
  'dialects/standard/editing/stale.ts',
  'dialects/standard/failures.ts',
  'dialects/standard/history.ts',
  'dialects/standard/listing/listing.ts',
  'dialects/standard/listing/sized-entries.ts',
  'dialects/standard/listing/sizes.ts',
  'dialects/standard/listing/tree.ts',
  'dialects/standard/outcome.ts',
  'dialects/standard/paths.ts',
  'dialects/standard/reading/read-text.ts',
  'dialects/standard/run-outcome.ts',
  'dialects/standard/searching/find-names.ts',
  'dialects/standard/searching/grep.ts',
  'dialects/standard/shown-change.ts',
  'dialects/workspace/index.ts',
  'engine/access/access.ts',
  'engine/api/commands.ts',
  'engine/api/files.ts',
  'engine/api/history.ts',
  'engine/api/search.ts',
  'engine/charset/declared.ts',
  'engine/confine/content/draft-names.ts',
  'engine/confine/content/sweep-drafts.ts',
  'engine/confine/directory/path-dir.ts',
  'engine/confine/protect/git-control.ts',
  'engine/confine/protect/git-places.ts',
  'engine/confine/walk/walk.ts',
  'engine/confine/watch.ts',
  'engine/confine/withheld/withheld.ts',
  'engine/failure-message.ts',
  'engine/files/edit/text-editor.ts',
  'engine/files/encoding/declared-encodings.ts',
  'engine/files/read/mime.ts',
  'engine/glob/glob.ts',
  'engine/glob/ignore-pattern.ts',
  'engine/glob/residual-glob.ts',
  'engine/journal/copy/copy-journal.ts',
  'engine/journal/journal.ts',
  'engine/journal/record/journal-recorder.ts',
  'engine/journal/retention/forget.ts',
  'engine/journal/snapshot/command-changes.ts',
  'engine/kernel/kernel.ts',
  'engine/run/commands.ts',
  'engine/run/programs.ts',
  'engine/run/policy/reading-commands.ts',
  'engine/run/process/run.ts',
  'engine/run/sandbox/sandbox.ts',
  'engine/search/ripgrep/ripgrep.ts',
  'engine/search/search.ts',
  'engine/search/walk/file-page.ts',
  'engine/search/walk/search-root.ts',
  'engine/stored-history.ts',
  'engine/text/diff/unified-diff.ts',
  'engine/text/encoding.ts',
  'engine/text/lines/anchors.ts',
  'engine/text/patch/parse/parse-files.ts',
  'engine/text/patch/planned-files.ts',
  'engine/text/rewrite.ts',
  'engine/text/short-hash.ts',
  'engine/text/similar.ts',
  'engine/undo/diff.ts',
  'engine/undo/plan.ts',
  'engine/undo/undo.ts',
  'json/json-size.ts',
  'json/write-json.ts',
  'server/mcp/messages/batch.ts',
  'server/mcp/perform.ts',
  'server/mcp/tools/refused-calls.ts',
  'server/mcp/resources/file-uri.ts',
  'server/mcp/resources/session-resources.ts',
  'server/stdio/library-lane.ts',
  'server/web/host-and-origin.ts',
  'state/directory/contents/directory-contents.ts',
  'state/directory/locks.ts',
  'state/directory/log/directory-log.ts',
  'state/directory/notes.ts',
  'state/memory-sessions.ts',
  'state/postgres/open.ts',
  'trace/events/later-executed.ts',
  'trace/events/stored-event.ts',
];

/** The program's two files. The launcher starts the first, which loads the second. */
const FIRST = './main.cjs';
const REST = './rest.cjs';

/**
 * Splits a program in two: `first` has what the first answers need, `rest` has the modules named above and what only
 * they import. Returns esbuild's options for both. Each module is in one of the two, so that its state exists once.
 * `first` hands over the modules that `rest` imports as well, through `shared`.
 */
export async function splitProgram(options) {
  const [entry] = options.entryPoints;
  const ours = OURS.map((path) => resolve('src', path));
  // A file that was moved would silently drop out of the list, and the start would become slow.
  for (const file of ours) if (!existsSync(file)) throw new Error(`${file} is gone: correct the list OURS`);
  const first = (names) => ({
    ...options,
    entryPoints: [FIRST],
    outfile: `dist/${FIRST.slice(2)}`,
    plugins: [firstEntry(resolve(entry), names), lateModules(ours, fromRest)],
  });
  const rest = (inFirst, asked) => ({
    ...options,
    entryPoints: [REST],
    outfile: `dist/${REST.slice(2)}`,
    plugins: [restEntry(ours), sharedModules(inFirst, asked), lateModules(ours, fromHere)],
  });
  // A module that is handed over whole may bring along others that `first` did not have before. Then `rest` asks again.
  let names = new Map();
  let inFirst = await inputsOf(first(names));
  for (;;) {
    const asked = new Set();
    await inputsOf(rest(inFirst, asked));
    names = await exportsOf([...asked]);
    const before = inFirst.size;
    inFirst = new Set([...inFirst, ...(await inputsOf(first(names)))]);
    if (inFirst.size === before) return { first: first(names), rest: rest(inFirst, new Set()) };
  }
}

const fromRest = (path) => `require(${JSON.stringify(REST)}).modules[${nameOf(path)}]()`;
const fromHere = (path) => `require(${JSON.stringify(path)})`;
const nameOf = (path) => JSON.stringify(relative('src', path));

/**
 * Delays the evaluation of modules that the first answers do not need until something uses one of their exports. Each
 * becomes a CommonJS module, and scripts/program.mjs moves its `require` to where an export is used. A class that
 * extends an exported class, or a call at the top level of a module, uses it at once: that works, but gains nothing.
 */
function lateModules(files, load) {
  const ours = new Set(files);
  const late = (path, namespace, real) => (namespace === 'late' ? real : { path, namespace: 'late' });
  return {
    name: 'late-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^node:/ }, ({ path, namespace }) => {
        if (BUILTINS.includes(path.slice('node:'.length)))
          return late(path, namespace, { path, external: true });
      });
      onResolve({ filter: /^(?:@|(?:jose|pg|jsonc-parser|smol-toml|yaml)$)/ }, ({ path, namespace }) => {
        if (path in APART) return late(path, namespace, { path: APART[path], external: true });
      });
      onResolve({ filter: /\.ts$/ }, ({ path, importer, namespace, kind }) => {
        const file = resolve(dirname(importer), path);
        if (ours.has(file) && kind !== 'require-call')
          return late(relative('.', file), namespace, { path: file });
      });
      onResolve({ filter: /^\.\/(main|rest)\.cjs$/ }, ({ path, kind }) => {
        if (kind === 'require-call') return { path, external: true };
      });
      onLoad({ filter: /^/, namespace: 'late' }, ({ path }) => {
        const [module, resolveDir] =
          path.startsWith('node:') || path in APART
            ? [fromHere(path)]
            : [load(resolve(path)), resolve('src')];
        return { contents: `module.exports = ${module};`, resolveDir };
      });
    },
  };
}

/** Keeps the modules of `first` out of `rest`, which gets them from `first` instead. */
function sharedModules(inFirst, seen) {
  return {
    name: 'shared-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.ts$/ }, ({ path, importer }) => {
        const file = resolve(dirname(importer), path);
        if (!inFirst.has(file)) return undefined;
        seen.add(file);
        return { path: relative('.', file), namespace: 'shared' };
      });
      onLoad({ filter: /^/, namespace: 'shared' }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(FIRST)}).shared[${nameOf(path)}]();`,
        resolveDir: resolve('src'),
      }));
    },
  };
}

/** The entry of `first`: the modules that it hands over, then the program itself, which runs at once. */
function firstEntry(entry, names) {
  const files = [...names.keys()];
  const imports = files.map((file, index) => {
    const list = names.get(file).map((name) => `${name} as ${name}_${index}`);
    return `import { ${list.join(', ')} } from ${JSON.stringify(file)};`;
  });
  const getters = files.map((file, index) => {
    const list = names.get(file).map((name) => `get ${name}() { return ${name}_${index}; }`);
    return `${nameOf(file)}: () => ({ ${list.join(', ')} })`;
  });
  const registry = `${imports.join('\n')}\nexport const shared = {\n${getters.join(',\n')}\n};`;
  const start = `export { shared } from 'shared';\nimport ${JSON.stringify(entry)};`;
  return virtualModules({ [FIRST]: start, shared: registry });
}

function restEntry(files) {
  const modules = files.map((file) => `${nameOf(file)}: () => ${fromHere(file)}`);
  return virtualModules({ [REST]: `exports.modules = { ${modules.join(', ')} };` });
}

function virtualModules(sources) {
  return {
    name: 'virtual-modules',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^(\.\/(main|rest)\.cjs|shared)$/ }, ({ path, kind }) => {
        if (path in sources && kind !== 'require-call') return { path, namespace: 'entry' };
      });
      onLoad({ filter: /^/, namespace: 'entry' }, ({ path }) => ({
        contents: sources[path],
        resolveDir: resolve('src'),
      }));
    },
  };
}

/** The files that would contribute something to a bundle. */
async function inputsOf(options) {
  const { metafile } = await build({ ...options, write: false });
  const { inputs } = Object.values(metafile.outputs).find(({ entryPoint }) => entryPoint !== undefined);
  const held = Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0 && !path.includes(':'));
  return new Set(held.filter((path) => !onlyReexports(path)).map((path) => resolve(path)));
}

/** A module without state, so both files may have it. If it were handed over, it would bring along all it names. */
function onlyReexports(path) {
  const code = readFileSync(path, 'utf8').replace(/\/\*.*?\*\//gs, '');
  return code.replace(/export (?:type )?\{[^}]*\} from '[^']*';/g, '').trim() === '';
}

/** The names that each file exports, keyed by its path. */
async function exportsOf(paths) {
  const { metafile } = await build({
    entryPoints: paths,
    format: 'esm',
    write: false,
    metafile: true,
    outdir: 'dist',
  });
  const outputs = Object.values(metafile.outputs);
  return new Map(outputs.map(({ entryPoint, exports }) => [resolve(entryPoint), exports]));
}
