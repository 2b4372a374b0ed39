/** Catches one kind of failure, for a tool that words it itself. */
import { EngineFailure, type Failure } from '../engine/index.ts';

export type Caught<T, K extends Failure['kind']> = { value: T } | { failure: Failure & { kind: K } };

/** Returns a failure of this kind as a value, and rethrows every other error. */
export async function catchFailure<T, K extends Failure['kind']>(
  kind: K,
  work: () => Promise<T>,
): Promise<Caught<T, K>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.facts.kind !== kind) throw error;
    return { failure: error.facts as Failure & { kind: K } };
  }
}
