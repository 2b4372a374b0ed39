/** An engine on a temporary directory, new for each test of a file. */
import { afterEach, beforeEach } from 'vitest';
import { Engine } from '../src/engine/index.ts';
import { temporaryDirectory } from './tree.ts';

export interface EngineFixture {
  /** The directory. */
  readonly path: string;
  readonly engine: Engine;
}

export function engineFixture(): EngineFixture {
  let temporary: ReturnType<typeof temporaryDirectory>;
  let engine: Engine;
  beforeEach(() => {
    temporary = temporaryDirectory();
    engine = new Engine({ roots: [{ path: temporary.path, writable: true }] });
  });
  afterEach(async () => {
    await engine.close();
    temporary.remove();
  });
  return {
    get path() {
      return temporary.path;
    },
    get engine() {
      return engine;
    },
  };
}
