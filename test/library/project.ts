/** A project that uses the built package, and a compiler with the strictest options for it. */
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { layOut } from '../tree.ts';

const root = resolve(import.meta.dirname, '../..');

export function layOutProject(directory: string): string {
  layOut(directory, { 'project/node_modules/@types/': '' });
  const project = join(directory, 'project');
  symlinkSync(root, join(project, 'node_modules/cofferdam'));
  symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  return project;
}

/** Compiles files into `out/`. */
export function compile(
  project: string,
  files: readonly string[],
  more: Readonly<Record<string, unknown>> = {},
): { status: number | null; says: string } {
  const compilerOptions = {
    ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
    ...{ module: 'nodenext', target: 'es2022', types: ['node'], skipLibCheck: false },
    ...{ outDir: 'out', rootDir: '.', rewriteRelativeImportExtensions: true },
    ...more,
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--project', project], {
    encoding: 'utf8',
  });
  return { status, says: stdout };
}
