/**
 * Starts the program quickly: V8's compiled form of each bundle is kept beside it, so that only the first
 * start after an install has to compile. Where nothing may be written there, every start compiles.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

interface Module {
  exports: unknown;
}
type Body = (exports: unknown, require: unknown, module: Module, file: string, directory: string) => void;

const bundles = new Map<string, Module>();

start('./main.cjs');

/** What a bundle gets as its `require`: another bundle is started in the same way as the first. */
function requireByBundle(id: string): unknown {
  return id.startsWith('./') ? start(id) : require(id);
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
  const cacheFile = `${file}.${process.versions.v8}-${process.arch}.cache`;
  const cachedData = readCache(cacheFile);
  // A bundle is ASCII; to read it as such saves looking for other characters.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
  });
  if (cachedData === undefined || (script.cachedDataRejected && startedPlainly()))
    process.once('exit', () => writeCache(cacheFile, script));
  return script.runInThisContext() as Body;
}

/** With options for V8 its compiled form is another, which would take the place of the one for most starts. */
function startedPlainly(): boolean {
  return process.execArgv.length === 0 && process.env.NODE_OPTIONS === undefined;
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
    // A container may give the same pid to another process that writes here.
    const unfinished = `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, file);
  } catch {
    // A read-only installation starts a little slower, that is all.
  }
}
