/**
 * Starts the program quickly: V8's compiled form of the bundle is kept beside it, so that only the first
 * start after an install has to compile. Where nothing may be written there, every start compiles.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, pid, versions } from 'node:process';
import { constants, Script } from 'node:vm';

const file = `${__dirname}/main.cjs`;
const cacheFile = `${file}.${versions.v8}-${arch}.cache`;

const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`;
const cachedData = readCache();
const script = new Script(source, {
  filename: file,
  ...(cachedData ? { cachedData } : {}),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const module_ = { exports: {} };
script.runInThisContext()(module_.exports, createRequire(file), module_, file, __dirname);

if (cachedData === undefined || script.cachedDataRejected) process.once('exit', writeCache);

function readCache(): Buffer | undefined {
  try {
    return readFileSync(cacheFile);
  } catch {
    return undefined;
  }
}

function writeCache(): void {
  try {
    const unfinished = `${cacheFile}.${pid}`;
    writeFileSync(unfinished, script.createCachedData());
    renameSync(unfinished, cacheFile);
  } catch {
    // A read-only installation starts a little slower, that is all.
  }
}
