/** For a tool that words one kind of failure itself. */
import { EngineFailure, type Failure } from '../engine/index.ts';

export type Caught<T, K extends Failure['kind']> = { value: T } | { failure: Failure & { kind: K } };

/** Gives a failure of this kind as a value; every other one is thrown on. */
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
