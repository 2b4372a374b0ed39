/** What is said at the start: in one line what is served and how well it is protected, or why it is not. */
import type { Failure } from '../engine/index.ts';
import type { App } from '../server/app.ts';

export function describeStart({ version, dialects, engine }: App): string {
  const names = dialects.map((dialect) => dialect.name).join(', ');
  const roots = engine.roots
    .map(({ path, writable }) => (writable ? path : `${path} (read-only)`))
    .join(', ');
  return `${version}, ${names} on ${roots}; wall: ${engine.protection.says}`;
}

/** Why a directory that was given cannot be served. */
export function whyNotServed(facts: Failure): string {
  switch (facts.kind) {
    case 'not-found':
      return `${facts.path}: no such directory`;
    case 'not-a-directory':
      return `${facts.path}: not a directory`;
    case 'permission':
      return `${facts.path}: cannot be read by this user`;
    default:
      return 'path' in facts ? `${facts.path}: cannot be opened (${facts.kind})` : facts.kind;
  }
}
