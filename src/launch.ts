/**
 * Starts the program quickly: it writes V8's compiled form of each bundle beside the bundle, so that only the first
 * start after an install compiles. In a read-only installation every start compiles.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';

interface Module {
  exports: unknown;
}
type Body = (exports: unknown, require: unknown, module: Module, file: string, directory: string) => void;

const bundles = new Map<string, Module>();

start('./main.cjs');

/** The `require` of a bundle: starts other bundles in the same way as the first. */
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
  // A bundle is ASCII: as latin1, Node need not look for other characters.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...(cachedData ? { cachedData } : {}),
  });
  if (cachedData === undefined || (script.cachedDataRejected && startedPlainly()))
    process.once('exit', () => writeCache(cacheFile, script));
  return script.runInThisContext() as Body;
}

/** Options of V8 change its compiled form, which would then replace the one that most starts need. */
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
    // In another container a process with the same pid may write here, too.
    const unfinished = `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, file);
  } catch {
    // A read-only installation only starts a little slower.
  }
}
