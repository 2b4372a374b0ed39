/** The protocol methods for resources, and the dialect that serves them. */
import type { Dialect } from '../../../dialects/dialect.ts';
import type { App } from '../app.ts';

export const RESOURCE_METHODS = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
] as const;

export type ResourceMethod = (typeof RESOURCE_METHODS)[number];

export function isResourceMethod(method: string): method is ResourceMethod {
  return (RESOURCE_METHODS as readonly string[]).includes(method);
}

/** The dialect that words the answers about resources; undefined if no dialect serves them. */
export function resourceDialect({ dialects }: App): Dialect | undefined {
  return dialects.find(({ servesResources }) => servesResources);
}
