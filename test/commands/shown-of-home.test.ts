/** Commands see the programs that are installed in a home directory, and nothing beside them. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { program } from '../client.ts';
import { InProcessClient } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { boxed, programOnPath } from './commands-fixture.ts';

const SECRET = 'T0KEN-in-a-home';

describe.skipIf(!boxed)('programs in a home directory (needs bubblewrap)', () => {
  let base: ReturnType<typeof temporaryDirectory>;
  let environment: NodeJS.ProcessEnv;
  let server: InProcessClient;
  const flags = ['--allow-command', 'cargo', '--allow-command', 'tool', '--sandbox', 'require'];
  const run = (command: string) => server.text('execute_command', { command });

  beforeAll(async () => {
    base = temporaryDirectory();
    const says = (text: string) => ({ text: `#!/bin/sh\necho ${text}\n`, mode: '755' });
    layOut(base.path, {
      'home/.cargo/bin/rustup': says('cargo runs'),
      'home/.cargo/bin/cargo': { link: 'rustup' },
      'home/.cargo/credentials.toml': SECRET,
      'home/.cargo/config.toml': SECRET,
      'home/.rustup/toolchains/stable/bin/rustc': says('rustc runs'),
      'home/proj/bin/tool': says('tool runs'),
      'home/proj/bin/other': SECRET,
      'home/proj/.env': SECRET,
      'home/proj/lib/keys': SECRET,
      'home/.ssh/id': SECRET,
      'work/': '',
    });
    const home = join(base.path, 'home');
    const path = `${home}/.cargo/bin:${home}/proj/bin:${process.env.PATH}`;
    environment = { ...process.env, HOME: home, PATH: path };
    server = await InProcessClient.start(
      ['--dialect', 'replay', ...flags, join(base.path, 'work')],
      environment,
    );
  });

  afterAll(async () => {
    await server.end();
    base.remove();
  });

  it('run, and nothing beside them is visible', async () => {
    expect(await run('cargo; tool')).toBe('cargo runs\ntool runs\n[exit code: 0]');
    const home = join(base.path, 'home');
    expect(await run(`cd ${home} && find . -type f -o -type l | sort`)).toBe(
      [
        './.cargo/bin/cargo',
        './.cargo/bin/rustup',
        './.rustup/toolchains/stable/bin/rustc',
        './proj/bin/tool',
        '[exit code: 0]',
      ].join('\n'),
    );
    // The secret is nowhere else: a search that finds nothing exits with 1.
    expect(await run(`grep -rs ${SECRET} ${home}`)).toBe('(no output)\n[exit code: 1]');
  });

  it('are listed one by one by doctor', () => {
    const args = [program, 'doctor', '--dialect', 'replay', ...flags, join(base.path, 'work')];
    const said = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' }).stdout;
    for (const path of ['.cargo/bin', '.rustup/toolchains', 'proj/bin/tool']) {
      expect(said).toContain(`${join(base.path, 'home', path)} (read-only)\n`);
    }
    expect(said).not.toContain(`${join(base.path, 'home/.cargo')} `);
    expect(said).not.toContain(`${join(base.path, 'home/proj')} `);
  });
});

const usual = ['node', 'npm', 'python3', 'cargo', 'rustc', 'git', 'make'].filter((name) =>
  programOnPath(name),
);

describe.skipIf(!boxed)('the programs of this machine (needs bubblewrap)', () => {
  it.each(usual)('%s runs in the sandbox', async (name) => {
    const base = temporaryDirectory();
    const server = await InProcessClient.start([
      ...['--dialect', 'replay', '--sandbox', 'require', '--allow-command', name],
      base.path,
    ]);
    try {
      expect(await server.text('execute_command', { command: `${name} --version` })).toMatch(
        /\d+\.\d+[\s\S]*\[exit code: 0\]/,
      );
    } finally {
      await server.end();
      base.remove();
    }
  });
});
