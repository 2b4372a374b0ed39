/**
 * Loaded before the conformance suites, which import `globSync` and so do not start on Node 20. Nothing that tests a
 * server calls it.
 */
import fs from 'node:fs';
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const withGlobSync = `export * from 'node:fs';
export function globSync() { throw new Error('this Node has no globSync'); }`;

// Loaders run in a thread of their own, which loads this file, too.
if (isMainThread && fs.globSync === undefined) register(import.meta.url);

export function resolve(specifier, context, next) {
  if (specifier !== 'fs') return next(specifier, context);
  return { url: `data:text/javascript,${encodeURIComponent(withGlobSync)}`, shortCircuit: true };
}
