/** Some scenarios of the protocol's own suite; `npm run conformance` runs all of them. */
import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startConformanceServer } from './conformance-server.ts';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const suites = {
  '0.1.16': `${modules}@modelcontextprotocol/conformance/dist/index.js`,
  '0.2.0': `${modules}conformance-next/dist/index.js`,
};
const preloaded = new URL('glob-sync.mjs', import.meta.url).href;

describe('the suite of the protocol', () => {
  let server: Awaited<ReturnType<typeof startConformanceServer>>;
  beforeAll(async () => {
    server = await startConformanceServer('fixture', tmpdir());
  });
  afterAll(() => server.stop());

  it.concurrent.each([
    ['0.1.16', 'all scenarios', ['--suite', 'all']],
    ['0.2.0', 'the life of a session', ['--scenario', 'server-session-lifecycle']],
    ['0.2.0', 'headers and body', ['--scenario', 'http-header-validation']],
    ['0.2.0', 'progress without a session', at2026('tools-call-with-progress')],
    ['0.2.0', 'errors without a session', at2026('tools-call-error')],
    ['0.2.0', 'many streams without a session', at2026('server-sse-multiple-streams')],
    ['0.2.0', 'pages that pretend to be local', at2026('dns-rebinding-protection')],
  ] as const)('%s: %s', async (suite, _, args) => {
    const { code, output } = await run([suites[suite], 'server', '--url', server.url, ...args]);
    expect([code, code === 0 ? '' : output]).toEqual([0, '']);
    expect(output).toMatch(/[1-9]\d* passed|Passed: [1-9]/);
  });
});

function at2026(scenario: string): string[] {
  return ['--scenario', scenario, '--spec-version', '2026-07-28'];
}

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
