/** Starts the server for `--http`: finds the tokens and the certificate, chooses a free port, and reloads on SIGHUP. */
import { createHash } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { dialectNames } from '../dialects/by-name.ts';
import type { Engine } from '../engine/index.ts';
import type { SessionStore } from './http/sessions/sessions.ts';
import { type HttpOptions, openHttpServer } from './http-server.ts';
import type { App } from './mcp/app.ts';
import type { OAuthSettings } from './oauth/settings.ts';
import type { PageSources } from './page/sources.ts';
import { limitsFor } from './web/limits.ts';
import type { Certificate } from './web/node-server.ts';
import { readPlain, readSecret, StartError } from './web/tokens/secret-files.ts';
import { type StoredToken, storedToken } from './web/tokens/stored-token.ts';
import {
  fullGrant,
  isEasilyGuessed,
  newToken,
  parseTokens,
  type TokenGrant,
  whyNotToken,
} from './web/tokens/tokens.ts';
import type { WebServer } from './web/web-server.ts';

export { StartError };

export interface HttpSettings {
  host: string;
  port: number;
  /** When `port` is in use, the server tries the following ports up to this one. */
  lastPort?: number;
  /**
   * Whether the first port to try depends on the first directory, so that a directory usually keeps its port. The rest
   * of the range follows from there.
   */
  portByDirectory?: boolean;
  tokenFile?: string;
  /** Replace the stored token by a new one and print it, even without a terminal. COFFERDAM_TOKEN takes precedence. */
  newToken?: boolean;
  /** Print client configurations that contain the token, even without a terminal. */
  printed?: boolean;
  /** The authorization server whose tokens the server accepts, too. */
  oauth?: OAuthSettings;
  tls?: { certFile: string; keyFile: string };
  /** How many calls of one token may run or wait at the same time. */
  calls?: number;
  bodyBytes?: number;
  allowHosts: string[];
  allowOrigins: string[];
}

export interface HttpEnvironment {
  /** The value of COFFERDAM_TOKEN. */
  token: string | undefined;
  /** Whether a terminal can show a new token. */
  terminal: boolean;
  /** Where the server stores its token. */
  stateDirectory: string | undefined;
  readOnlyEngine(): Engine;
  /** Where sessions are stored. Default: in the memory of this process. */
  store?: SessionStore;
  /** Rejects while the server cannot change files. */
  requireChanges?(): Promise<void>;
  /** What the Tool Trace page shows. */
  page?: PageSources | undefined;
}

export interface StartedHttp {
  server: WebServer;
  /** The token that the server made or had stored, for the terminal; undefined when the operator set the tokens. */
  token: StoredToken | undefined;
  /** Reads the token file and the certificate again; undefined when the operator named neither. */
  reload: (() => void) | undefined;
}

export async function startHttp(
  app: App,
  settings: HttpSettings,
  environment: HttpEnvironment,
): Promise<StartedHttp> {
  const chosen = chooseGrants(app, settings, environment);
  const { host, allowHosts, allowOrigins, tls, tokenFile, oauth } = settings;
  const { readOnlyEngine, page, store, requireChanges } = environment;
  try {
    const server = await listenOnFirstFree(app, settings, {
      ...{ host, allowOrigins, readOnlyEngine },
      allowHosts: oauth ? [...allowHosts, new URL(oauth.publicUrl).hostname] : allowHosts,
      ...(oauth && { oauth }),
      grants: chosen.grants,
      ...(page && { page }),
      ...(store && { store }),
      ...(requireChanges && { requireChanges }),
      tls: tls && readCertificate(app, tls),
      limits: limitsFor(settings),
    });
    const canReload = tokenFile !== undefined || tls !== undefined;
    const reloadFiles = canReload ? () => reload(app, settings, server) : undefined;
    return { server, token: chosen.token, reload: reloadFiles };
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(whyNotListening(error, settings));
  }
}

async function listenOnFirstFree(
  app: App,
  settings: HttpSettings,
  options: Omit<HttpOptions, 'port'>,
): Promise<WebServer> {
  const { port: first, lastPort = first } = settings;
  const ports = lastPort - first + 1;
  const offset = settings.portByDirectory ? hashNumber(app.engine.roots[0]?.path ?? '') % ports : 0;
  for (let tried = 0; ; tried++) {
    const port = first + ((offset + tried) % ports);
    try {
      const server = await openHttpServer(app, { ...options, port });
      if (tried > 0) app.log(`port ${first + offset} is in use: this server has port ${port}`);
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried + 1 >= ports) throw error;
    }
  }
}

/** A number that depends only on the text, and that two texts rarely share. */
function hashNumber(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}

function chooseGrants(
  app: App,
  { tokenFile, newToken: replace = false, printed = false, oauth }: HttpSettings,
  { token, terminal, stateDirectory }: HttpEnvironment,
): { grants: TokenGrant[]; token?: StoredToken } {
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
    if (replace) app.log('no new token is made: COFFERDAM_TOKEN is set and takes precedence');
    return { grants: [fullGrant(token)] };
  }
  // With an authorization server, only the Tool Trace page needs a token from the operator.
  if (oauth && !replace && !printed) return { grants: [] };
  if (!terminal && !replace && !printed)
    throw new StartError(
      'no token: set COFFERDAM_TOKEN, or give --token-file or --new-token (the stored token is used only where a terminal can show it)',
    );
  const stored: StoredToken =
    stateDirectory === undefined
      ? { token: newToken(), file: undefined, isNew: true, problem: 'there is no state directory' }
      : storedToken(stateDirectory, { replace });
  if (stored.problem !== undefined) app.log(`the token is for this run only: ${stored.problem}`);
  return { grants: [fullGrant(stored.token)], token: stored };
}

interface TokensRead {
  grants: TokenGrant[];
  problems: string[];
}

function readTokens(app: App, file: string): TokensRead {
  const text = readSecret(file, servedBy(app)).toString('utf8');
  const { grants, problems, warnings } = parseTokens(text, dialectNames);
  for (const warning of warnings) app.log(`warning: ${file}, ${warning}`);
  return { grants, problems: problems.map((problem) => `${file}, ${problem}`) };
}

/** A token file that cannot be read gives no access at all: a withdrawn token must not stay valid. */
function reload(app: App, { tokenFile, tls }: HttpSettings, server: WebServer): void {
  if (tokenFile !== undefined) {
    const { grants, problems } = attempt(() => readTokens(app, tokenFile));
    for (const problem of problems) app.log(`tokens: ${problem}`);
    server.replaceTokens(grants);
    app.log(`tokens: read again, ${grants.length} valid`);
  }
  if (tls === undefined) return;
  try {
    server.replaceCertificate(readCertificate(app, tls));
    app.log('certificate: read again');
  } catch (error) {
    app.log(`certificate: the old one stays: ${(error as Error).message}`);
  }
}

function attempt(read: () => TokensRead): TokensRead {
  try {
    return read();
  } catch (error) {
    return { grants: [], problems: [(error as Error).message] };
  }
}

function servedBy({ engine }: App): string[] {
  return engine.roots.map(({ path }) => path);
}

function readCertificate(app: App, { certFile, keyFile }: NonNullable<HttpSettings['tls']>): Certificate {
  const cert = readPlain(certFile);
  // Some operators keep the key in the same file.
  if (cert.includes('PRIVATE KEY')) readSecret(certFile, servedBy(app));
  const certificate = { cert, key: readSecret(keyFile, servedBy(app)) };
  try {
    createSecureContext(certificate);
  } catch {
    throw new StartError(`${certFile} and ${keyFile} are not a certificate (PEM) and its key`);
  }
  return certificate;
}

function whyNotListening(error: unknown, { host, port, lastPort }: HttpSettings): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const where = `${host}, ${lastPort === undefined ? `port ${port}` : `ports ${port} to ${lastPort}`}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${where}: in use already`;
    case 'EACCES':
      return `${where}: this user may not listen there`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${where}: this machine has no such address`;
    default:
      return `${where}: ${message}`;
  }
}
