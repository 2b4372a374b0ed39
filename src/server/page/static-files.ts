/** Serves the files of the built page. They contain no data, so everybody may read them. */
import { createHash } from 'node:crypto';
// The built page is next to the program, not in a served directory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleDir } from '../../bundle-directory.ts';
import { type Refusal, type Reply, whyNotGet } from '../web/reply.ts';

const FILES: Readonly<Record<string, { name: string; type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const SHELL = {
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The browser must ask each time: after an update the new page must meet the new server.
  'Cache-Control': 'no-cache',
};

interface Loaded {
  body: Buffer;
  etag: string;
}

export class StaticFiles {
  readonly #loaded = new Map<string, Loaded>();

  /** Reads all files at once: a tool or a command may change the program's directory later. */
  constructor(directory = join(bundleDir, 'page')) {
    for (const { name } of Object.values(FILES)) {
      const loaded = load(join(directory, name));
      if (loaded) this.#loaded.set(name, loaded);
    }
  }

  has(path: string): boolean {
    return Object.hasOwn(FILES, path);
  }

  serve(reply: Reply, path: string): Refusal | undefined {
    const { request, response } = reply;
    const refusal = whyNotGet(request);
    if (refusal) return refusal;
    const { name, type } = FILES[path]!;
    const loaded = this.#loaded.get(name);
    if (!loaded) return { status: 404, message: 'The page is not installed next to the program' };
    const headers = { ...SHELL, ETag: loaded.etag };
    if (isSame(request.headers['if-none-match'], loaded.etag)) {
      reply.head(304, headers);
      response.end();
      return undefined;
    }
    reply.head(200, { ...headers, 'Content-Type': type, 'Content-Length': loaded.body.length });
    response.end(request.method === 'HEAD' ? undefined : loaded.body);
    return undefined;
  }
}

function load(file: string): Loaded | undefined {
  try {
    const body = readFileSync(file);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return { body, etag };
  } catch {
    return undefined;
  }
}

function isSame(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false;
}
