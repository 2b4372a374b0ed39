/** Parses the arguments of `cofferdam state`: what to copy where, or which fleet gets a new key. */
import { resolve } from 'node:path';
import { isDatabaseAddress } from '../../state/postgres/connections/settings.ts';
import { UsageError } from '../usage-error.ts';
import { addressIn } from './options/state-flags.ts';
import { isNamedRoot, type RootArgument, toNamedRoot } from './roots.ts';
import { didYouMean } from './suggest.ts';

/** A state directory, or the address of a database, which holds a password and is never shown. */
export type StatePlace = { directory: string } | { address: string };

export interface CopyRequest {
  from: StatePlace;
  to: StatePlace;
  /** Directories of this machine, with the names that the fleet has for them. */
  roots: readonly RootArgument[];
  onlyNamed: boolean;
}

export type StateRequest = ({ do: 'copy' } & CopyRequest) | { do: 'new-key'; address: string };

export const STATE_VERBS = ['copy', 'new-key'];
const USAGE = 'cofferdam state copy FROM TO [DIR=NAME …]';
const USAGE_OF_KEY = 'cofferdam state new-key postgres://…|@FILE';

export function parseStateRequest([verb, ...rest]: readonly string[], onlyNamed: boolean): StateRequest {
  if (verb === 'new-key') return { do: 'new-key', address: addressOfFleet(rest, onlyNamed) };
  if (verb === 'copy') return { do: 'copy', ...parseCopy(rest, onlyNamed) };
  const meant = verb === undefined ? '' : didYouMean(verb, STATE_VERBS);
  throw new UsageError(`say what state should do: ${USAGE}, or ${USAGE_OF_KEY}${meant}`);
}

function addressOfFleet([text, ...more]: readonly string[], onlyNamed: boolean): string {
  if (text === undefined || more.length > 0) throw new UsageError(`say which fleet: ${USAGE_OF_KEY}`);
  if (onlyNamed) throw new UsageError('--only-named is for state copy');
  const place = placeNamed(text);
  if ('address' in place) return place.address;
  throw new UsageError(`${text}: only a fleet has a key to change: ${USAGE_OF_KEY}`);
}

function parseCopy(rest: readonly string[], onlyNamed: boolean): CopyRequest {
  const [from, to, ...named] = rest;
  if (from === undefined || to === undefined)
    throw new UsageError(`say what to copy, and where to: ${USAGE}`);
  const wrong = named.find((text) => !isNamedRoot(text));
  if (wrong !== undefined) throw new UsageError(`${plainly(wrong)}: after FROM and TO, give DIR=NAME`);
  const request = { from: placeNamed(from), to: placeNamed(to), roots: named.map(toNamedRoot), onlyNamed };
  const sameKind = 'address' in request.from === 'address' in request.to;
  if (sameKind && (named.length > 0 || onlyNamed)) {
    throw new UsageError(
      'DIR=NAME and --only-named are for a copy between a directory and a database: here all paths stay as they are',
    );
  }
  return request;
}

function placeNamed(text: string): StatePlace {
  if (isDatabaseAddress(text)) return { address: text };
  if (text === '') throw new UsageError('the name of a state directory is empty');
  return text.startsWith('@') ? { address: addressIn(text.slice(1), text) } : { directory: resolve(text) };
}

/** The argument as a message may show it: even in the wrong place, an address holds a password. */
function plainly(text: string): string {
  return isDatabaseAddress(text) ? 'postgres://…' : text;
}
