/** Names the sentences of the references that a test proves. test/spec/coverage.test.ts searches for these calls. */
import { sentenceIds } from './spec/sentences.ts';

/** Fails for an id that no file of test/spec/ knows. */
export function proves(...ids: [string, ...string[]]): void {
  const unknown = ids.filter((id) => !sentenceIds().has(id));
  if (unknown.length > 0) throw new Error(`not in test/spec: ${unknown.join(', ')}`);
}
