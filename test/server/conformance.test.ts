/** The protocol's own suites; `npm run conformance` also runs those of other revisions, and the inspector. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { soak } from '../soak.ts';
import { startConformanceServer } from './conformance-server.ts';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const suites = {
  '0.1.16': `${modules}@modelcontextprotocol/conformance/dist/index.js`,
  '0.2.0': `${modules}conformance-next/dist/index.js`,
};
const preloaded = new URL('glob-sync.mjs', import.meta.url).href;

describe('the suites of the protocol', () => {
  let server: Awaited<ReturnType<typeof startConformanceServer>>;
  beforeAll(async () => {
    server = await startConformanceServer('fixture', tmpdir());
  });
  afterAll(() => server.stop());

  it.each([
    // The newer suite has all scenarios of the older one, and one more.
    ...soak([], [['0.1.16', 'all scenarios', []] as const]),
    ['0.2.0', 'all scenarios of sessions', ['--spec-version', '2025-11-25']],
    ['0.2.0', 'all scenarios without sessions', ['--spec-version', '2026-07-28']],
  ] as const)('%s: %s', async (suite, _, args) => {
    const { code, output } = await run([
      suites[suite],
      'server',
      '--url',
      server.url,
      '--suite',
      'all',
      ...args,
    ]);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    expect(output).toMatch(/[1-9]\d* passed|Passed: [1-9]/);
  });
});

function run(args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', preloaded, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: tmpdir(),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    child.once('close', (code) => resolve({ code, output }));
  });
}
