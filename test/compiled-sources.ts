/**
 * Lets tests load the sources as JavaScript, compiled once for all workers, instead of having Vite transform and
 * evaluate each of hundreds of modules in each worker. `npm test` does this. A run of Vitest alone loads the
 * TypeScript, so that stacks show its lines.
 */
import { readdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin as EsbuildPlugin } from 'esbuild';
import type { Plugin } from 'vitest/config';
import { isFresh } from './fresh-modules-list.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'src');
/** Inside the repository, so that the modules find their packages. */
const compiled = join(root, 'build', `sources-${process.pid}`);
export const COMPILED = /\/build\/sources-\d+\//;

/** These are AssemblyScript, which scripts/build-kernel.mjs compiles. */
const NOT_COMPILED = ['engine/kernel/assembly', 'json/assembly'];

export async function compiledSources(): Promise<Plugin> {
  process.once('exit', () => rmSync(compiled, { recursive: true, force: true }));
  await build({
    entryPoints: modules(),
    outdir: compiled,
    outbase: sources,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    plugins: [eachByItself],
  });
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    resolveId(id, importer) {
      if (!id.startsWith('.') || importer === undefined || !isTest(importer)) return undefined;
      const path = resolve(dirname(importer), id);
      return path.startsWith(`${sources}/`) && path.endsWith('.ts') && !isAssembly(path)
        ? toCompiled(path)
        : undefined;
    },
  };
}

function modules(): string[] {
  const names = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  return names.map((name) => join(sources, name)).filter((path) => path.endsWith('.ts') && !isAssembly(path));
}

const isTest = (path: string) => path.startsWith(join(root, 'test/')) && !isFresh(path);
const isAssembly = (path: string) =>
  NOT_COMPILED.some((folder) => path.startsWith(`${join(sources, folder)}/`));
const toCompiled = (path: string) => join(compiled, relative(sources, path)).replace(/\.ts$/, '.js');

/** Compiles each module on its own. It finds other modules next to it, and everything else where its source would. */
const eachByItself: EsbuildPlugin = {
  name: 'each-by-itself',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      return { path: path.startsWith('.') ? path.replace(/\.ts$/, '.js') : path, external: true };
    });
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: 'ts' };
    });
  },
};
