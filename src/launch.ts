/**
 * Starts the program quickly: V8's compiled form of each bundle is kept beside it, so that only the first
 * start after an install has to compile. Where nothing may be written there, every start compiles.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, env, execArgv, pid, versions } from 'node:process';
import { constants, Script } from 'node:vm';

interface Module {
  exports: unknown;
}
type Body = (exports: unknown, require: unknown, module: Module, file: string, directory: string) => void;

const requireByNode = createRequire(`${__dirname}/main.cjs`);
const bundles = new Map<string, Module>();

start('./main.cjs');

/** What a bundle gets as its `require`: another bundle is started in the same way as the first. */
function requireByBundle(id: string): unknown {
  return id.startsWith('./') ? start(id) : requireByNode(id);
}

function start(id: string): unknown {
  const started = bundles.get(id);
  if (started) return started.exports;
  const file = `${__dirname}/${id.slice(2)}`;
  const module: Module = { exports: {} };
  bundles.set(id, module);
  compile(file)(module.exports, requireByBundle, module, file, __dirname);
  return module.exports;
}

function compile(file: string): Body {
  const cacheFile = `${file}.${versions.v8}-${arch}.cache`;
  const cachedData = readCache(cacheFile);
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
  const script = new Script(source, {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (cachedData === undefined || (script.cachedDataRejected && startedPlainly()))
    process.once('exit', () => writeCache(cacheFile, script));
  return script.runInThisContext() as Body;
}

/** With options for V8 its compiled form is another, which would take the place of the one for most starts. */
function startedPlainly(): boolean {
  return execArgv.length === 0 && env.NODE_OPTIONS === undefined;
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function writeCache(file: string, script: Script): void {
  try {
    const unfinished = `${file}.${pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, file);
  } catch {
    // A read-only installation starts a little slower, that is all.
  }
}
