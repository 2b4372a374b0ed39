/**
 * The health check of the image: a server over HTTP must answer, one on stdio must run.
 *
 *   node healthcheck.mjs PROGRAM       PROGRAM as the server was started with it
 */
import { readdirSync, readFileSync } from 'node:fs';
import { request as plain } from 'node:http';
import { request as encrypted } from 'node:https';

const [program] = process.argv.slice(2);
const PATIENCE = 4000;

try {
  const options = optionsOf(program);
  if (options === undefined) throw new Error(`no process runs ${program}`);
  const port = portIn(options);
  if (port !== undefined)
    await answers(
      port,
      options.some((each) => each.startsWith('--tls-cert')),
    );
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** The arguments of the server. It is not always process 1, which may be an init that starts it. */
function optionsOf(file) {
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [, started, ...options] = argumentsOf(id);
    if (started === file && Number(id) !== process.pid) return options;
  }
  return undefined;
}

function argumentsOf(id) {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
  } catch {
    // It has ended, or is somebody else's.
    return [];
  }
}

/** Of `--http 0.0.0.0:8080` or `--http=8080`. */
function portIn(options) {
  const at = options.findIndex((each) => /^--http(?:=|$)/.test(each));
  if (at < 0) return undefined;
  const value = options[at].includes('=') ? options[at].slice('--http='.length) : options[at + 1];
  return Number(/(\d+)(?:-\d+)?$/.exec(value)[1]);
}

function answers(port, isEncrypted) {
  const { promise, resolve, reject } = withResolvers();
  const request = isEncrypted ? encrypted : plain;
  // The certificate names the address that clients use, which is not this one.
  const options = { host: '127.0.0.1', port, path: '/healthz', timeout: PATIENCE, rejectUnauthorized: false };
  request(options, (response) => {
    response.resume();
    if (response.statusCode === 200) resolve();
    else reject(new Error(`/healthz answers ${response.statusCode}`));
  })
    .on('timeout', () => reject(new Error('/healthz does not answer')))
    .on('error', reject)
    .end();
  return promise;
}

function withResolvers() {
  const parts = {};
  parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
  return parts;
}
