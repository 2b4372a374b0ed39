import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Engine, type EngineOptions } from '../../../../src/engine/index.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';
import { failureKind, NO_SANDBOX } from '../run-fixture.ts';

const KEY = 'key-of-the-owner';
const PLAN = 'plan-of-the-owner';

let temporary: ReturnType<typeof temporaryDirectory>;
let root: string;
const engines: Engine[] = [];

function open(options: Partial<EngineOptions> = {}, sandbox: 'require' | 'off' = 'require'): Engine {
  const engine = new Engine({
    roots: [{ path: root, writable: true }],
    deny: ['.env', '/app/deep/vault/', '*.pem'],
    hide: ['/plans/', 'plan.md'],
    commands: { sandbox, environment: process.env },
    ...options,
  });
  engines.push(engine);
  return engine;
}

beforeEach(() => {
  temporary = temporaryDirectory();
  root = join(temporary.path, 'root');
  layOut(root, {
    '.env': KEY,
    'app/.env': KEY,
    'app/main.txt': 'main',
    'app/deep/vault/key.txt': KEY,
    'app/deep/note.txt': 'note',
    'plans/next.txt': PLAN,
    'docs/plan.md': PLAN,
    'free/a.txt': 'a',
  });
});

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
  temporary.remove();
});

const probe = temporaryDirectory();
const probing = new Engine({
  roots: [{ path: probe.path, writable: false }],
  commands: { environment: process.env },
});
const isSandboxed = (await probing.commands.sandbox()).kind === 'bubblewrap';
await probing.close();
probe.remove();

const title = 'a sandbox with files that the owner withholds';
describe.runIf(isSandboxed)(isSandboxed ? title : `${title} (skipped: ${NO_SANDBOX})`, () => {
  const shell = async (engine: Engine, line: string) => {
    const { stdout, stderr } = await engine.commands.runShellLine(line);
    return `${stdout}${stderr}`;
  };

  it.each([
    'cat .env app/.env app/deep/vault/key.txt plans/next.txt docs/plan.md',
    'tar cf - . | tar xOf -; tar cf - app/deep/vault',
    'grep -r owner .; find . -type f -exec cat {} +',
    'cp -r app copy; cat copy/.env copy/deep/vault/*; cp .env x; cat x; ln .env y; cat y',
    'dd if=.env; head -c 99 <.env; cat <app/.env',
    'cd app/deep/vault && cat key.txt; cat app/../.env; cat $PWD/.env',
    'mv .env open.txt; cat open.txt; mv app app2; cat app2/.env; mv app/deep app/other; cat app/other/vault/*',
    'rm -rf app docs plans; mkdir -p app; cat app/.env',
    'ln -s .env l; cat l; for f in .*; do [ -f $f ] && cat $f; done',
    'umount .env; mount --bind app z; cat /proc/self/root$PWD/.env; cat /proc/1/root$PWD/.env',
  ])('neither shows nor lets a command move them: %s', async (line) => {
    const said = await shell(open(), line);
    expect(said).not.toContain(KEY);
    expect(said).not.toContain(PLAN);
    expect(readFileSync(join(root, '.env'), 'utf8')).toBe(KEY);
    expect(readFileSync(join(root, 'app/.env'), 'utf8')).toBe(KEY);
    expect(readFileSync(join(root, 'app/deep/vault/key.txt'), 'utf8')).toBe(KEY);
    expect(readFileSync(join(root, 'plans/next.txt'), 'utf8')).toBe(PLAN);
    expect(readFileSync(join(root, 'docs/plan.md'), 'utf8')).toBe(PLAN);
  });

  it('shows everything else unchanged', async () => {
    expect(await shell(open(), 'cat app/main.txt app/deep/note.txt; mv free moved; cat moved/a.txt')).toBe(
      'mainnotea',
    );
    expect(existsSync(join(root, 'moved/a.txt'))).toBe(true);
  });

  it('hides them from reading commands, too, which refuse them as arguments', async () => {
    const engine = open();
    const { stdout } = await engine.commands.runReadingCommand('grep', ['-r', 'owner', '.']);
    expect(stdout).toBe('');
    for (const path of ['.env', 'app/deep/vault/key.txt', join(root, '.env')]) {
      expect(await failureKind(engine.commands.runReadingCommand('cat', [path]))).toBe('denied');
    }
    const plan = await engine.commands.runReadingCommand('cat', ['docs/plan.md']);
    expect(plan.stdout).toBe('');
  });

  it('masks files that appeared since the last command, also in read-only and nested directories', async () => {
    layOut(temporary.path, { 'other/x.pem': KEY, 'root/inner/y.pem': KEY });
    const engine = open({
      roots: [
        { path: root, writable: true },
        { path: join(root, 'inner'), writable: true },
        { path: join(temporary.path, 'other'), writable: false },
      ],
    });
    expect(await shell(engine, 'true')).toBe('');
    writeFileSync(join(root, 'app/new.pem'), KEY);
    const line = `cat app/new.pem inner/y.pem ${temporary.path}/other/x.pem; mv inner/y.pem inner/z`;
    expect(await shell(engine, line)).not.toContain(KEY);
    expect(readdirSync(join(root, 'inner'))).toEqual(['y.pem']);
  });

  it('masks a served directory that another one denies, and denied Git configuration', async () => {
    layOut(root, {
      'secret/inside.txt': KEY,
      'repo/.git/config': `[x]\n${KEY} = 1\n`,
      'repo/.git/HEAD': 'ref: x',
    });
    mkdirSync(join(root, 'repo/.git/objects'));
    mkdirSync(join(root, 'repo/.git/refs'));
    const engine = open({
      roots: [
        { path: root, writable: true },
        { path: join(root, 'secret'), writable: true },
      ],
      deny: ['/secret', 'secrets'],
    });
    const said = await shell(engine, 'cat secret/inside.txt repo/.git/config; ls secret; mv repo repo2');
    expect(said).not.toContain(KEY);
    expect(said).not.toContain('inside.txt\n');
    expect(existsSync(join(root, 'repo/.git/config'))).toBe(true);
  });

  it('starts no command when an entry cannot be masked', async () => {
    for (let i = 0; i < 501; i++) writeFileSync(join(root, `app/${i}.pem`), KEY);
    expect(await failureKind(open().commands.runShellLine('true'))).toBe('no-sandbox');
  });

  it('does not reveal a denied file through a link with another name', async () => {
    symlinkSync('app/main.txt', join(root, 'l.pem'));
    symlinkSync('.env', join(root, 'to-env'));
    expect(await shell(open(), 'cat l.pem; cat to-env')).not.toContain(KEY);
  });

  describe('.cofferdamignore', () => {
    it('cannot be changed or moved by a command', async () => {
      writeFileSync(join(root, '.cofferdamignore'), 'free/\n');
      const engine = open({ deny: [], hide: [] });
      const said = await shell(
        engine,
        'cat free/a.txt; echo >.cofferdamignore; rm .cofferdamignore; mv .cofferdamignore x; cat .cofferdamignore',
      );
      expect(said).not.toContain('free/\n');
      expect(readFileSync(join(root, '.cofferdamignore'), 'utf8')).toBe('free/\n');
      expect(existsSync(join(root, 'x'))).toBe(false);
    });

    it('is renamed if a command made it, and kept if the owner made it meanwhile', async () => {
      const engine = open({ deny: [], hide: [] });
      const said = await shell(
        engine,
        'echo "*" >.cofferdamignore; mkdir -p sub; echo x >sub/.cofferdamignore',
      );
      expect(said).toContain('.cofferdamignore was made, and renamed to .cofferdamignore.refused');
      expect(readdirSync(root)).toContain('.cofferdamignore.refused');
      expect(readdirSync(root)).not.toContain('.cofferdamignore');
      writeFileSync(join(root, '.cofferdamignore'), 'mine\n');
      await shell(engine, 'echo >.cofferdamignore; rm -f .cofferdamignore');
      expect(readFileSync(join(root, '.cofferdamignore'), 'utf8')).toBe('mine\n');
    });
  });
});

describe('commands without a sandbox', () => {
  it('do not run while anything is denied or hidden', async () => {
    for (const rules of [{ hide: [] }, { deny: [] }]) {
      const { commands } = open(rules, 'off');
      expect(await failureKind(commands.runShellLine('true'))).toBe('no-sandbox');
      expect(await failureKind(commands.runReadingCommand('cat', ['app/main.txt']))).toBe('no-sandbox');
    }
    const { commands } = open({ deny: [], hide: [] }, 'off');
    expect((await commands.runShellLine('echo runs')).stdout).toBe('runs\n');
  });
});
