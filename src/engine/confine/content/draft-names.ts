/**
 * Names the temporary files behind atomic writes, and recognises those of servers that are gone.
 *
 * A name carries the id of its server and a checksum, so that a user's file is never taken for one of ours by chance,
 * left out of a listing or swept away.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { EntryType } from '../../failures.ts';
import { isGone, SERVER_ID, serverId } from './server-identity.ts';

const PREFIX = '.cofferdam-';
const PATTERN = new RegExp(`^\\.cofferdam-(${SERVER_ID})-([0-9a-f]{16})([0-9a-f]{16})\\.tmp$`);

export function temporaryName(server: string = serverId()): string {
  const random = randomBytes(8).toString('hex');
  return `${PREFIX}${server}-${random}${checkOf(server, random)}.tmp`;
}

/** Whether an entry is a server's draft, which listings leave out. Only a file can be one. */
export function isTemporary(name: string, type: EntryType): boolean {
  return type === 'file' && serverOf(name) !== undefined;
}

export function isLitter(name: string, stat: { type: EntryType; mtimeNs: bigint }): boolean {
  if (stat.type !== 'file') return false;
  const server = serverOf(name);
  return server !== undefined && isGone(server, Date.now() - Number(stat.mtimeNs / 1_000_000n));
}

/** A quick check that rules out nearly all other names. */
export function mayBeTemporary(name: string): boolean {
  return name.startsWith(PREFIX);
}

function serverOf(name: string): string | undefined {
  if (!mayBeTemporary(name)) return undefined;
  const found = PATTERN.exec(name);
  if (!found) return undefined;
  const server = found[1]!;
  return checkOf(server, found.at(-2)!) === found.at(-1) ? server : undefined;
}

function checkOf(server: string, random: string): string {
  return createHash('sha256').update(`${PREFIX}${server}-${random}`).digest('hex').slice(0, 16);
}
