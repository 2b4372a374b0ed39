/** Bearer tokens: to whom they belong, what they allow, and how the server recognises them. */
import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';

/** What the holder of a token may do. */
export interface Grant {
  /** The name of the token's holder, for the log and the trace. */
  readonly name: string;
  readonly readOnly: boolean;
  /** The dialects that the token opens; undefined for all dialects of the server. */
  readonly dialects: readonly string[] | undefined;
  /** Whether only one client uses the token, so that the server may remember that client's workspace by its token. */
  readonly oneClient: boolean;
}

/** A token that the operator issued. */
export interface TokenGrant extends Grant {
  readonly hash: Buffer;
}

export interface TokenFile {
  grants: TokenGrant[];
  /** The problems by line, without any token in them. A line with a problem gives no access. */
  problems: string[];
  warnings: string[];
}

/** Names are short, so that a token in the wrong place is not taken for a name. */
const NAME = /^[\w.@-]{1,32}$/;
/** What an Authorization header can carry without quotes. */
const SENDABLE = /^[\x21-\x7e]+$/;
const EASILY_GUESSED = 16;
const ONE_CLIENT = 'one-client';

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The grant of a token that opens everything. */
export function fullGrant(token: string, name = 'owner'): TokenGrant {
  return { name, hash: hashOf(token), readOnly: false, dialects: undefined, oneClient: false };
}

/** The reason why a token is invalid, without quoting it. */
export function whyNotToken(token: string): string | undefined {
  if (token === '') return 'is empty';
  return SENDABLE.test(token)
    ? undefined
    : 'has characters that cannot be sent: use letters, digits and - . _ ~';
}

export function isEasilyGuessed(token: string): boolean {
  return token.length < EASILY_GUESSED;
}

/** Parses one token per line: `name token read-only|read-write|dialect,dialect… [one-client]`; `#` begins a comment. */
export function parseTokens(text: string, dialects: readonly string[]): TokenFile {
  const grants: TokenGrant[] = [];
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const words = line.trim().split(/\s+/);
    if (words[0] === '' || words[0]!.startsWith('#')) continue;
    const taken = parseLine(words, dialects);
    const problem = typeof taken === 'string' ? taken : whyNotBeside(taken, grants);
    if (problem !== undefined) {
      problems.push(`line ${index + 1}: ${problem}`);
      continue;
    }
    grants.push(taken as TokenGrant);
    if (isEasilyGuessed(words[1]!)) warnings.push(`line ${index + 1}: the token is short and can be guessed`);
  }
  return { grants, problems, warnings };
}

function parseLine([name, token, ...rights]: string[], dialects: readonly string[]): TokenGrant | string {
  if (token === undefined) return 'a name, a token and rights are needed';
  if (!NAME.test(name!)) return 'the name must have at most 32 letters, digits and . _ - @';
  const bad = whyNotToken(token);
  if (bad) return `the token ${bad}`;
  const all = rights.flatMap((word) => word.split(',')).filter((word) => word !== '');
  const words = all.filter((word) => word !== ONE_CLIENT);
  if (words.length === 0) return 'there are no rights: read-only, read-write or dialects';
  const named = words.filter((word) => word !== 'read-only' && word !== 'read-write');
  const unknown = named.find((word) => !dialects.includes(word));
  // Do not quote the word: on a mistyped line it may be the token.
  if (unknown !== undefined)
    return `the rights are read-only, read-write and dialects (${dialects.join(', ')}); the line has another word there`;
  if (words.includes('read-only') && words.includes('read-write'))
    return 'the rights are both read-only and read-write';
  return {
    name: name!,
    hash: hashOf(token),
    readOnly: words.includes('read-only'),
    dialects: named.length > 0 ? [...new Set(named)].sort() : undefined,
    oneClient: words.length < all.length,
  };
}

function whyNotBeside(grant: TokenGrant, others: readonly TokenGrant[]): string | undefined {
  for (const other of others) {
    if (other.name === grant.name) return 'an earlier line already has this name';
    if (other.hash.equals(grant.hash)) return 'an earlier line already has this token';
  }
  return undefined;
}

/** The valid tokens. */
export class Tokens {
  #grants: readonly TokenGrant[];

  constructor(grants: readonly TokenGrant[]) {
    this.#grants = grants;
  }

  /** Takes the same time whether or not a token matches, and whichever it is. */
  find(shown: string): Grant | undefined {
    const hash = hashOf(shown);
    let found: Grant | undefined;
    for (const grant of this.#grants) if (timingSafeEqual(grant.hash, hash)) found = grant;
    return found;
  }

  get all(): readonly TokenGrant[] {
    return this.#grants;
  }

  /** Whether the operator issued a token under this name. */
  hasName(name: string): boolean {
    return this.#grants.some((grant) => grant.name === name);
  }

  /** Replaces the tokens, and gives the grants that are no longer valid. An unchanged grant stays the same object. */
  replace(grants: readonly TokenGrant[]): Grant[] {
    const before = this.#grants;
    this.#grants = grants.map((grant) => before.find((old) => isSame(old, grant)) ?? grant);
    return before.filter((old) => !this.#grants.includes(old));
  }
}

function isSame(one: TokenGrant, other: TokenGrant): boolean {
  return (
    one.name === other.name &&
    one.readOnly === other.readOnly &&
    one.oneClient === other.oneClient &&
    one.hash.equals(other.hash) &&
    String(one.dialects) === String(other.dialects)
  );
}

/** The token of an Authorization header. */
export function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
}

function hashOf(token: string): Buffer {
  // `crypto.hash` takes a third of the time, but older versions of Node 20 lack it.
  return crypto.hash?.('sha256', token, 'buffer') ?? crypto.createHash('sha256').update(token).digest();
}
