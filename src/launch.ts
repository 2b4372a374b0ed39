/**
 * Starts the program quickly: it saves V8's compiled form of each bundle beside the bundle, so that only the first
 * start after an install compiles. In a read-only installation every start compiles.
 */
import { closeSync, fstatSync, openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { boundYoungSpace, withUsualFlags } from './young-space.ts';

interface Module {
  exports: unknown;
}
type ModuleBody = (
  exports: unknown,
  require: unknown,
  module: Module,
  file: string,
  directory: string,
) => void;

/** The bundle with everything that calls need: once it is loaded, the start is over. */
const LAST_OF_START = './rest.cjs';

const bundles = new Map<string, Module>();

/**
 * Every bundle and its compiled form is read into this buffer, which is never freed. Once a program frees a block of a
 * megabyte, glibc expects it to do so again: from then on each thread keeps two freed megabytes for itself.
 */
const buffer = Buffer.allocUnsafeSlow(4 * 1024 * 1024);

start('./main.cjs');

/** The `require` of a bundle. It starts other bundles in the same way as the first. */
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
  if (id === LAST_OF_START && !isYoungSizeGiven()) boundYoungSpace();
  return module.exports;
}

function compile(file: string): ModuleBody {
  const cacheFile = `${file}.${process.versions.v8}-${process.arch}.cache`;
  // A bundle is ASCII. Read as latin1, Node does not have to look for other characters.
  const source = read(file).toString('latin1');
  const cachedData = readCache(cacheFile);
  const options = { filename: file, ...(cachedData ? { cachedData } : {}) };
  const script = withUsualFlags(() => new Script(source, options));
  if (cachedData === undefined || (script.cachedDataRejected && startedPlainly()))
    process.once('exit', () => writeCache(cacheFile, script));
  return script.runInThisContext() as ModuleBody;
}

/** Whether V8 runs with its usual options. Others change the compiled form, and must not replace the usual one. */
function startedPlainly(): boolean {
  return process.execArgv.length === 0 && process.env.NODE_OPTIONS === undefined;
}

/** Whether the user who started the program chose a size for V8's young space. */
function isYoungSizeGiven(): boolean {
  return /semi.space/.test([process.env.NODE_OPTIONS, ...process.execArgv].join(' '));
}

function readCache(file: string): Buffer | undefined {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

/** The bytes of a file. They are valid until the next file is read. */
function read(file: string): Buffer {
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytes = size <= buffer.length ? buffer.subarray(0, size) : Buffer.allocUnsafeSlow(size);
    let length = 0;
    for (let got = -1; got !== 0 && length < size; length += got)
      got = readSync(fd, bytes, length, size - length, length);
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

function writeCache(file: string, script: Script): void {
  try {
    // A process in another container may have the same pid and write here, too.
    const unfinished = `${file}.${process.pid}-${process.hrtime.bigint().toString(36)}`;
    writeFileSync(
      unfinished,
      withUsualFlags(() => script.createCachedData()),
    );
    renameSync(unfinished, file);
  } catch {
    // Without the cache, the next start only takes a little longer.
  }
}
