/** From what the command line asks to an HTTP server: tokens, certificate, and what SIGHUP reads again. */
import { createSecureContext } from 'node:tls';
import { dialects } from '../../dialects/index.ts';
import type { Engine } from '../../engine/index.ts';
import type { App } from '../mcp/app.ts';
import type { PageSources } from '../page/sources.ts';
import { type KeptToken, keepToken } from '../web/kept-token.ts';
import { limitsFor } from '../web/limits.ts';
import { readPlain, readSecret, StartError } from '../web/operator-files.ts';
import { fullGrant, type Grant, isEasilyGuessed, newToken, parseTokens, whyNotToken } from '../web/tokens.ts';
import type { Certificate } from '../web/web-server.ts';
import { type HttpOptions, type HttpServing, serveOnHttp } from './serve.ts';

export { StartError };

export interface HttpRequest {
  host: string;
  port: number;
  /** When `port` is in use, the next one up to this is taken. */
  lastPort?: number;
  tokenFile?: string;
  /** Make a token in place of the kept one, unless the environment has one, and print it, terminal or not. */
  newToken?: boolean;
  /** The configurations of clients are printed with the token, terminal or not. */
  printed?: boolean;
  tls?: { certFile: string; keyFile: string };
  /** Calls of one token that may be under way or wait. */
  calls?: number;
  bodyBytes?: number;
  allowHosts: string[];
  allowOrigins: string[];
}

export interface HttpSurroundings {
  /** The token that the environment gave. */
  token: string | undefined;
  /** Whether there is a terminal on which a new token can be shown. */
  terminal: boolean;
  /** Where a token can be kept. */
  stateDirectory: string | undefined;
  readOnlyEngine(): Engine;
  /** What the Tool Trace page shows. */
  page?: PageSources | undefined;
}

export interface Started {
  serving: HttpServing;
  /** Made or kept by the server, for whoever sits at the terminal; undefined when the operator set the tokens. */
  token: KeptToken | undefined;
  /** Reads the tokens and the certificate again; undefined when there is nothing to be read again. */
  reload: (() => void) | undefined;
}

export async function startHttp(app: App, asked: HttpRequest, around: HttpSurroundings): Promise<Started> {
  const chosen = chooseGrants(app, asked, around);
  const { host, allowHosts, allowOrigins, tls, tokenFile } = asked;
  const { readOnlyEngine, page } = around;
  try {
    const serving = await listenOnFirstFree(app, asked, {
      ...{ host, allowHosts, allowOrigins, readOnlyEngine },
      grants: chosen.grants,
      ...(page && { page }),
      tls: tls && readCertificate(app, tls),
      limits: limitsFor(asked),
    });
    const reload = tokenFile || tls ? () => readAgain(app, asked, serving) : undefined;
    return { serving, token: chosen.token, reload };
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(whyNotListening(error, asked));
  }
}

async function listenOnFirstFree(
  app: App,
  { port: first, lastPort = first }: HttpRequest,
  options: Omit<HttpOptions, 'port'>,
): Promise<HttpServing> {
  for (let port = first; ; port++) {
    try {
      const serving = await serveOnHttp(app, { ...options, port });
      if (port !== first) app.log(`port ${first} is in use: this server has port ${port}`);
      return serving;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port >= lastPort) throw error;
    }
  }
}

function chooseGrants(
  app: App,
  { tokenFile, newToken: replace = false, printed = false }: HttpRequest,
  { token, terminal, stateDirectory }: HttpSurroundings,
): { grants: Grant[]; token?: KeptToken } {
  if (tokenFile !== undefined) {
    const { grants, problems } = readTokens(app, tokenFile);
    if (problems[0] !== undefined) throw new StartError(problems[0]);
    if (grants.length === 0) throw new StartError(`${tokenFile}: there is no token in it`);
    if (token !== undefined) app.log('COFFERDAM_TOKEN is not used: --token-file has the tokens');
    return { grants };
  }
  if (token !== undefined) {
    const problem = whyNotToken(token);
    if (problem) throw new StartError(`COFFERDAM_TOKEN ${problem}`);
    if (isEasilyGuessed(token)) app.log('warning: COFFERDAM_TOKEN is short and can be guessed');
    if (replace) app.log('no new token is made: COFFERDAM_TOKEN is set, and is the token');
    return { grants: [fullGrant(token)] };
  }
  if (!terminal && !replace && !printed)
    throw new StartError(
      'no token: set COFFERDAM_TOKEN, or give --token-file or --new-token (the kept token is used only where a terminal can show it)',
    );
  const kept: KeptToken =
    stateDirectory === undefined
      ? { token: newToken(), file: undefined, isNew: true, problem: 'there is no state directory' }
      : keepToken(stateDirectory, { replace });
  if (kept.problem !== undefined) app.log(`the token is for this run only: ${kept.problem}`);
  return { grants: [fullGrant(kept.token)], token: kept };
}

function readTokens(app: App, file: string): { grants: Grant[]; problems: string[] } {
  const known = dialects.map(({ name }) => name);
  const { grants, problems, warnings } = parseTokens(readSecret(file, servedBy(app)).toString('utf8'), known);
  for (const warning of warnings) app.log(`warning: ${file}, ${warning}`);
  return { grants, problems: problems.map((problem) => `${file}, ${problem}`) };
}

/** What cannot be read gives nobody access: better a token too few than one that was withdrawn. */
function readAgain(app: App, { tokenFile, tls }: HttpRequest, serving: HttpServing): void {
  if (tokenFile !== undefined) {
    const { grants, problems } = attempt(() => readTokens(app, tokenFile));
    for (const problem of problems) app.log(`tokens: ${problem}`);
    serving.replaceTokens(grants);
    app.log(`tokens: read again, ${grants.length} good`);
  }
  if (tls === undefined) return;
  try {
    serving.replaceCertificate(readCertificate(app, tls));
    app.log('certificate: read again');
  } catch (error) {
    app.log(`certificate: the old one stays: ${(error as Error).message}`);
  }
}

function attempt(read: () => { grants: Grant[]; problems: string[] }): {
  grants: Grant[];
  problems: string[];
} {
  try {
    return read();
  } catch (error) {
    return { grants: [], problems: [(error as Error).message] };
  }
}

function servedBy({ engine }: App): string[] {
  return engine.roots.map(({ path }) => path);
}

function readCertificate(app: App, { certFile, keyFile }: NonNullable<HttpRequest['tls']>): Certificate {
  const cert = readPlain(certFile);
  // Some keep the key in the same file.
  if (cert.includes('PRIVATE KEY')) readSecret(certFile, servedBy(app));
  const certificate = { cert, key: readSecret(keyFile, servedBy(app)) };
  try {
    createSecureContext(certificate);
  } catch {
    throw new StartError(`${certFile} and ${keyFile} are no certificate (PEM) and its key`);
  }
  return certificate;
}

function whyNotListening(error: unknown, { host, port, lastPort }: HttpRequest): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const where = `${host}, ${lastPort === undefined ? `port ${port}` : `ports ${port} to ${lastPort}`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${where}: in use already`;
    case 'EACCES':
      return `${where}: not allowed for this user`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${where}: this machine has no such address`;
    default:
      return `${where}: ${message}`;
  }
}
