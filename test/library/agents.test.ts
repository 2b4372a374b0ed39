/**
 * The examples for agent frameworks, run from the packed package in an empty folder with a scripted model. The
 * frameworks take 80 MB, so they are not dependencies of this project: `npm run soak` installs them.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { soak } from '../soak.ts';
import { layOut, readBack, temporaryDirectory } from '../tree.ts';
import { compile } from './project.ts';

const root = resolve(import.meta.dirname, '../..');
const isSoak = soak(false, true);

let directory: { path: string; remove(): void };
let tarball: string;
beforeAll(() => {
  directory = temporaryDirectory();
  if (!isSoak) return;
  // Without scripts, because prepack would rebuild dist/ while other tests use it.
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory.path];
  tarball = join(directory.path, JSON.parse(run(root, 'npm', args))[0].filename);
});
afterAll(() => directory.remove());

function run(cwd: string, program: string, args: readonly string[], home?: string): string {
  const env = { ...process.env, ...(home !== undefined && { HOME: home, XDG_STATE_HOME: '' }) };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}

const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline'];

describe.runIf(isSoak).each(['vercel-ai', 'openai-agents'])('the example %s', (name) => {
  it('compiles, gives the model the tools and their answers, and makes changes that can be undone', () => {
    const project = join(directory.path, name);
    cpSync(join(root, 'examples', name), project, { recursive: true });
    const types = `@types/node@${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies['@types/node']}`;
    run(project, 'npm', ['install', ...quiet, tarball, types]);
    expect(compile(project, ['try.ts'], { skipLibCheck: true })).toEqual({ status: 0, says: '' });

    const [app, home] = [join(directory.path, `${name}-app`), join(directory.path, `${name}-home`)];
    layOut(directory.path, { [`${name}-home/`]: '' });
    layOut(app, { 'greet.txt': 'Hello, you\n', '.env': 'TOKEN=1\n' });
    const printed = run(project, process.execPath, ['out/try.js', app], home);
    expect(printed).toContain('greet.txt\\n1: Hello, you');
    expect(printed).toContain('-Hello, you\\n+Welcome, you');
    expect(printed).toContain('Access denied - .env');
    expect(printed).not.toContain('TOKEN');
    expect(printed.trimEnd().split('\n').at(-1)).toBe('It says Welcome now.');
    expect(readBack(app)).toEqual({ 'greet.txt': 'Welcome, you\n', '.env': 'TOKEN=1\n' });

    run(project, join(project, 'node_modules/.bin/cofferdam'), ['undo'], home);
    expect(readBack(app)).toEqual({ 'greet.txt': 'Hello, you\n', '.env': 'TOKEN=1\n' });
  });
});
