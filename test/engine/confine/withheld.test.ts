import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EngineFailure, type Failure } from '../../../src/engine/index.ts';
import { openWallFixture, type WallFixture, wallKinds } from './wall-fixture.ts';

const KEY = 'the key that the owner denies';
const PLAN = 'the plan that the owner hides';
const TREE = {
  '.env': KEY,
  'public.txt': 'for all',
  'app/.env': KEY,
  'app/main.ts': 'main',
  'vault/key.txt': KEY,
  'vault/deep/key.txt': KEY,
  'plans/next.txt': PLAN,
  'app/plan.md': PLAN,
  'links/env': { link: '../.env' },
  'links/again': { link: 'env' },
  'links/vault': { link: '../vault' },
  'links/absolute': { link: '{ROOT}/app/.env' },
  'links/plan': { link: '../app/plan.md' },
  'links/plans': { link: '../plans' },
} as const;
const RULES = { deny: ['.env', 'vault/'], hide: ['/plans', 'plan.md'] };

async function failureOf(work: Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work;
  } catch (error) {
    if (error instanceof EngineFailure) return error.facts;
    throw error;
  }
  return undefined;
}

function open(kind: (typeof wallKinds)[number]) {
  return openWallFixture(kind, TREE, RULES);
}

/** Every spelling of a path to something denied. */
const DENIED = [
  '.env',
  './.env',
  'app/../.env',
  'app/.env',
  'app//.env',
  '.env/',
  'vault',
  'vault/',
  'vault/.',
  'vault/key.txt',
  'vault/deep/key.txt',
  'vault/../vault/key.txt',
  'vault/missing.txt',
  'links/env',
  'links/again',
  'links/vault',
  'links/vault/key.txt',
  'links/absolute',
];

const HIDDEN = [
  'plans',
  'plans/next.txt',
  'plans/',
  'plans/none/at-all',
  'app/plan.md',
  'links/plan',
  'links/plans/next.txt',
];

for (const kind of wallKinds) {
  describe(`what the owner denies (${kind})`, () => {
    it.each(DENIED)('%s is neither read, listed, searched, written, moved nor deleted', async (path) => {
      const { root, engine } = open(kind);
      for (const sent of [path, join(root, path) + (path.endsWith('/') ? '/' : '')]) {
        const denied = { kind: 'denied', path: sent };
        expect(await failureOf(engine.files.read(sent))).toEqual(denied);
        expect(await failureOf(engine.files.readLines(sent, { from: 1, to: 1 }))).toEqual(denied);
        expect(await failureOf(engine.files.list(sent))).toEqual(denied);
        expect(await failureOf(engine.files.info(sent))).toEqual(denied);
        expect(await failureOf(engine.files.write(sent, 'x'))).toEqual(denied);
        expect(await failureOf(engine.files.append(sent, 'x'))).toEqual(denied);
        expect(await failureOf(engine.files.makeDirectory(sent))).toEqual(denied);
        expect(await failureOf(engine.files.move('public.txt', sent))).toMatchObject(
          path.startsWith('links/') && !path.endsWith('key.txt') ? { kind: 'exists' } : denied,
        );
        expect(await failureOf(engine.search.grep(sent, { regex: 'key', maxMatches: 9 }))).toEqual(denied);
        expect(await failureOf(engine.search.walk(sent, {}))).toEqual(denied);
      }
      expect(readFileSync(join(root, '.env'), 'utf8')).toBe(KEY);
      expect(readFileSync(join(root, 'vault/key.txt'), 'utf8')).toBe(KEY);
    });

    it('is not moved or deleted itself', async () => {
      const { root, engine } = open(kind);
      for (const path of ['.env', 'app/.env', 'vault', 'vault/key.txt']) {
        expect(await failureOf(engine.files.move(path, 'elsewhere'))).toMatchObject({ kind: 'denied' });
        expect(await failureOf(engine.files.remove(path, { recursive: true }))).toMatchObject({
          kind: 'denied',
        });
      }
      expect(readdirSync(root).sort()).toEqual(['.env', 'app', 'links', 'plans', 'public.txt', 'vault']);
    });

    it('is listed, and the inside of a denied directory is not', async () => {
      const { engine } = open(kind);
      const names = (await engine.files.list('.')).map(({ name }) => name);
      expect(names).toEqual(['.env', 'app', 'links', 'public.txt', 'vault']);
      const tree = await engine.files.tree('.');
      expect(tree.children?.find(({ name }) => name === 'vault')).toEqual({
        name: 'vault',
        type: 'directory',
      });
      expect(tree.children?.find(({ name }) => name === 'app')?.children).toEqual([
        { name: '.env', type: 'file' },
        { name: 'main.ts', type: 'file' },
      ]);
      const all = (await engine.files.listAll('.')).entries.map(({ path }) => path);
      expect(all.filter((path) => !path.startsWith('links'))).toEqual([
        '.env',
        'app',
        'app/.env',
        'app/main.ts',
        'public.txt',
        'vault',
      ]);
      const found = (await engine.search.walk('.', {})).entries.map(({ path }) => path);
      expect(found.filter((path) => !path.startsWith('links'))).toEqual([
        '.env',
        'app',
        'app/.env',
        'app/main.ts',
        'public.txt',
        'vault',
      ]);
    });

    it('is on the pages of files, but the inside of a denied directory and hidden names are not', async () => {
      const { engine } = open(kind);
      const { files } = await engine.search.filePage('.', { max: 99 });
      expect(files).toEqual(['.env', 'app/.env', 'app/main.ts', 'public.txt']);
    });

    it('stays so in an engine that is narrowed to several directories', async () => {
      const { root, engine } = open(kind);
      const narrowed = await engine.narrowed([join(root, 'app'), join(root, 'links')]);
      expect(await failureOf(narrowed!.files.read(join(root, 'app/.env')))).toMatchObject({ kind: 'denied' });
      expect(await failureOf(narrowed!.files.read(join(root, 'app/plan.md')))).toMatchObject({
        kind: 'not-found',
      });
      for (const path of ['vault', 'plans'])
        expect(await engine.narrowed([join(root, path)])).toBeUndefined();
    });

    it('is not searched, whatever the plan and the glob', async () => {
      const { engine } = open(kind);
      const query = { regex: 'the (key|plan) that', maxMatches: 100 };
      for (const plan of [undefined, 'workers', 'ripgrep'] as const) {
        const { files } = await engine.search.grep('.', { ...query, plan });
        expect(files).toEqual([]);
      }
      for (const include of ['**/.env', '.env', 'vault/**', '**/*.txt', 'app/*', '{.env,plans/**}']) {
        const { files } = await engine.search.grep('.', { ...query, include: [include] });
        expect(files.filter(({ path }) => path !== 'public.txt')).toEqual([]);
      }
      expect((await engine.search.glob('.', { globs: ['plans/**', '**/plan.md'] })).entries).toEqual([]);
      expect((await engine.search.glob('.', { globs: ['vault/**', '**/.env'] })).entries).toMatchObject([
        { path: '.env' },
        { path: 'app/.env' },
      ]);
      expect((await engine.search.names('.', { contains: 'plan' })).entries).toMatchObject([
        { path: 'links/plan' },
        { path: 'links/plans' },
      ]);
      expect((await engine.search.overview('.', { depth: 9 })).entries.map(({ path }) => path)).not.toContain(
        'plans',
      );
    });

    it('keeps the directories above it from being moved or deleted, and is named as the reason', async () => {
      const { root, engine } = open(kind);
      expect(await failureOf(engine.files.move('app', 'moved'))).toMatchObject({ path: 'app' });
      rmSync(join(root, 'app/plan.md'));
      const denied = { kind: 'denied', path: 'app', holds: '.env' };
      expect(await failureOf(engine.files.move('app', 'moved'))).toEqual(denied);
      expect(await failureOf(engine.files.remove('app', { recursive: true }))).toEqual(denied);
      expect(readFileSync(join(root, 'app/.env'), 'utf8')).toBe(KEY);
      rmSync(join(root, 'app/.env'));
      await engine.files.move('app', 'moved');
      expect(readdirSync(join(root, 'moved'))).toEqual(['main.ts']);
    });

    it('is denied under a link that is swapped all the time', async () => {
      const { root, engine } = open(kind);
      const seen = new Set<string>();
      for (let round = 0; round < 300; round++) {
        const target = round % 2 === 0 ? '.env' : 'public.txt';
        symlinkSync(target, join(root, 'next'));
        renameSync(join(root, 'next'), join(root, 'now'));
        const reading = engine.files.read('now').then(
          ({ text }) => text ?? '',
          (error: EngineFailure) => error.facts.kind,
        );
        symlinkSync(round % 3 === 0 ? '.env' : 'public.txt', join(root, 'next'));
        renameSync(join(root, 'next'), join(root, 'now'));
        seen.add(await reading);
      }
      expect(seen).not.toContain(KEY);
      expect(seen).toContain('for all');
      expect(seen).toContain('denied');
    });

    it('is judged by its name: a rename during a read reveals it under neither name', async () => {
      const { root, engine } = open(kind);
      const [secret, open_] = [join(root, '.env'), join(root, 'open.txt')];
      for (let round = 0; round < 100; round++) {
        const reading = failureOf(engine.files.read('.env'));
        renameSync(secret, open_);
        renameSync(open_, secret);
        expect(await reading).toMatchObject({ kind: 'denied' });
      }
    });
  });

  describe(`what the owner hides (${kind})`, () => {
    it.each(HIDDEN)('%s fails in the same words as a missing file', async (path) => {
      const { root, engine } = open(kind);
      const before = readdirSync(root);
      const asMissing = async (work: (path: string) => Promise<unknown>) => {
        const hidden = await failureOf(work(path));
        rmSync(join(root, 'plans'), { recursive: true });
        rmSync(join(root, 'app/plan.md'));
        const missing = await failureOf(work(path));
        writeBack(root);
        expect(hidden).toEqual(missing);
        expect(hidden).toMatchObject({ kind: 'not-found' });
      };
      await asMissing((sent) => engine.files.read(sent));
      await asMissing((sent) => engine.files.readText(sent));
      await asMissing((sent) => engine.files.list(sent));
      await asMissing((sent) => engine.files.listAll(sent));
      await asMissing((sent) => engine.files.info(sent));
      await asMissing((sent) => engine.files.append(sent, 'x'));
      await asMissing((sent) => engine.search.grep(sent, { regex: 'plan', maxMatches: 9 }));
      if (!path.startsWith('links/plan')) {
        await asMissing((sent) => engine.files.move(sent, 'elsewhere'));
        await asMissing((sent) => engine.files.remove(sent, { recursive: true }));
      }
      expect(await engine.files.peek(path)).toBeUndefined();
      expect(readdirSync(root)).toEqual(before);
    });

    it('cannot be created, and the error does not say why', async () => {
      const { root, engine } = open(kind);
      rmSync(join(root, 'plans'), { recursive: true });
      const refused = { kind: 'withheld', action: 'create' };
      for (const path of ['plans', 'plans/a.txt', 'app/plan.md', 'app/plan.md/x', 'links/plans/a.txt']) {
        expect(await failureOf(engine.files.write(path, 'x'))).toEqual({ ...refused, path });
        expect(await failureOf(engine.files.makeDirectory(path))).toEqual({ ...refused, path });
      }
      expect(await failureOf(engine.files.move('public.txt', 'plans'))).toMatchObject(refused);
      expect(await failureOf(engine.files.move('public.txt', 'app/plan.md'))).toMatchObject(refused);
      expect(readdirSync(root)).not.toContain('plans');
      expect(readFileSync(join(root, 'app/plan.md'), 'utf8')).toBe(PLAN);
    });

    it('is not among the names that a missing path suggests', async () => {
      const { engine } = open(kind);
      expect(await failureOf(engine.files.read('planz'))).toMatchObject({ near: [] });
      expect(await failureOf(engine.files.read('planz/next.txt'))).toMatchObject({ near: [] });
      expect(await failureOf(engine.files.read('vaults'))).toMatchObject({ near: ['vault'] });
    });

    it('keeps the directories above it from being moved or deleted, and is not named', async () => {
      const { root, engine } = open(kind);
      rmSync(join(root, 'app/.env'));
      expect(await failureOf(engine.files.move('app', 'moved'))).toEqual({
        kind: 'withheld',
        path: 'app',
        action: 'move',
      });
      const refused = { kind: 'withheld', path: 'app', action: 'delete' };
      expect(await failureOf(engine.files.remove('app', { recursive: true }))).toEqual(refused);
      rmSync(join(root, 'app/main.ts'));
      expect(await failureOf(engine.files.remove('app'))).toEqual(refused);
      expect(readFileSync(join(root, 'app/plan.md'), 'utf8')).toBe(PLAN);
    });
  });

  describe(`the rules (${kind})`, () => {
    it('read as in .gitignore, from each given directory, and the last one that fits decides', async () => {
      const { engine } = openWallFixture(
        kind,
        {
          'a.log': '1',
          'keep.log': '2',
          'sub/a.log': '3',
          'top.txt': '4',
          'sub/top.txt': '5',
          build: '6',
          'sub/build/x': '7',
        },
        { deny: ['*.log', '!keep.log', '/top.txt', 'build/'] },
      );
      for (const path of ['a.log', 'sub/a.log', 'top.txt', 'sub/build/x']) {
        expect(await failureOf(engine.files.read(path))).toMatchObject({ kind: 'denied' });
      }
      for (const path of ['keep.log', 'sub/top.txt', 'build']) {
        expect(await failureOf(engine.files.read(path))).toBeUndefined();
      }
    });

    it('take the names of secrets as a preset, to which the owner may add and from which the owner may take', async () => {
      const secrets = ['.env', '.env.local', 'x/server.pem', 'id_rsa', 'id_rsa.pub', '.ssh/config'];
      secrets.push(
        'aws-credentials-2.json',
        '.docker/config.json',
        'r/.git/config',
        '.kube/config',
        'a.kdbx',
      );
      const open_ = ['.env.example', '.env.sample', '.env.template', 'config.json', '.npmrc', 'keyboard.ts'];
      const tree = Object.fromEntries([...secrets, ...open_, 'own.txt'].map((path) => [path, 'x']));
      const { engine } = openWallFixture(kind, tree, { deny: ['own.txt', 'secrets', '!.npmrc'] });
      for (const path of [...secrets, 'own.txt']) {
        expect([path, await failureOf(engine.files.read(path))]).toMatchObject([path, { kind: 'denied' }]);
      }
      for (const path of open_)
        expect([path, await failureOf(engine.files.read(path))]).toEqual([path, undefined]);
    });

    it('refuse to start with a glob that matches nothing, or with a file that cannot be read', () => {
      for (const glob of ['', '#note', '[', 'a\\', '/']) {
        expect(() => openWallFixture(kind, {}, { deny: [glob] })).toThrow(/bad-glob/);
        expect(() => openWallFixture(kind, {}, { hide: [glob] })).toThrow(/bad-glob/);
      }
      expect(() => openWallFixture(kind, { '.cofferdamignore': 'ok\n# note\n\nbad[\n' })).toThrow(/line 4/);
      expect(() => openWallFixture(kind, { '.cofferdamignore': { link: '{OUT}/secret.txt' } })).toThrow(
        /cofferdamignore/,
      );
      expect(() => openWallFixture(kind, { '.cofferdamignore/': '' })).toThrow(/cofferdamignore/);
    });

    it('hold for both Unicode forms of a name, in the rule and on the disk', async () => {
      const [nfc, nfd] = ['caf\u00e9.key', 'cafe\u0301.key'];
      for (const glob of [nfc, nfd, 'caf\u00e9*']) {
        const { root, engine } = openWallFixture(kind, { [nfc]: KEY, 'other.txt': 'x' }, { deny: [glob] });
        if (!readdirSync(root).includes(nfd)) writeFileSync(join(root, nfd), KEY);
        for (const name of [nfc, nfd]) {
          expect(await failureOf(engine.files.read(name))).toMatchObject({ kind: 'denied' });
          expect(await failureOf(engine.files.write(`new/${name}`, 'x'))).toMatchObject({ kind: 'denied' });
        }
        expect((await engine.search.grep('.', { regex: 'key', maxMatches: 9 })).files).toEqual([]);
      }
    });

    it('do not apply to a hard link, which is another name', async () => {
      const { root, engine } = open(kind);
      linkSync(join(root, '.env'), join(root, 'second-name'));
      expect((await engine.files.read('second-name')).text).toBe(KEY);
    });

    it('cost nothing and hold nothing when there are none', async () => {
      const { engine } = openWallFixture(kind, { '.env': 'mine' });
      expect((await engine.files.read('.env')).text).toBe('mine');
    });
  });

  describe(`.cofferdamignore (${kind})`, () => {
    it('hides, and takes nothing back from the options', async () => {
      const { engine } = openWallFixture(
        kind,
        {
          '.cofferdamignore': 'drafts/\n!.env\n!vault/\n!gone.txt\n',
          ...TREE,
          'drafts/a.txt': 'x',
          'gone.txt': 'y',
        },
        { ...RULES, hide: ['gone.txt'] },
      );
      expect(await failureOf(engine.files.read('drafts/a.txt'))).toMatchObject({ kind: 'not-found' });
      expect(await failureOf(engine.files.read('.env'))).toMatchObject({ kind: 'denied' });
      expect(await failureOf(engine.files.read('gone.txt'))).toMatchObject({ kind: 'not-found' });
      const names = (await engine.files.list('.')).map(({ name }) => name);
      expect(names).toContain('.cofferdamignore');
      expect(names).not.toContain('drafts');
      // The file itself names what is hidden.
      expect(await failureOf(engine.files.read('.cofferdamignore'))).toMatchObject({ kind: 'denied' });
    });

    it('cannot be changed, moved or deleted by any tool', async () => {
      const { root, engine } = openWallFixture(kind, {
        '.cofferdamignore': 'x\n',
        'a.txt': 'a',
        l: { link: '.cofferdamignore' },
      });
      for (const path of ['.cofferdamignore', './.cofferdamignore', 'l', join(root, '.cofferdamignore')]) {
        expect(await failureOf(engine.files.write(path, ''))).toMatchObject({ kind: 'denied' });
        expect(await failureOf(engine.files.append(path, 'y'))).toMatchObject({ kind: 'denied' });
      }
      expect(await failureOf(engine.files.remove('.cofferdamignore'))).toMatchObject({ kind: 'denied' });
      expect(await failureOf(engine.files.move('.cofferdamignore', 'b'))).toMatchObject({ kind: 'denied' });
      expect(
        await failureOf(engine.files.move('a.txt', '.cofferdamignore', { overwrite: true })),
      ).toMatchObject({
        kind: 'denied',
      });
      expect(readFileSync(join(root, '.cofferdamignore'), 'utf8')).toBe('x\n');
    });

    it('cannot be made by any tool, in any letter case', async () => {
      const { root, engine } = openWallFixture(
        kind,
        { 'a.txt': 'a', 'sub/b.txt': 'b' },
        { roots: ['work', 'work/sub'] },
      );
      for (const path of [
        '.cofferdamignore',
        '.CofferdamIgnore',
        'sub/.cofferdamignore',
        'sub/../.cofferdamignore',
      ]) {
        const refused = { kind: 'read-only', path, why: 'ignore-file' };
        expect(await failureOf(engine.files.write(path, 'x'))).toEqual(refused);
        expect(await failureOf(engine.files.makeDirectory(path))).toEqual(refused);
        expect(await failureOf(engine.files.write(`${path}/x`, 'x'))).toMatchObject({
          ...refused,
          path: `${path}/x`,
        });
        expect(await failureOf(engine.files.move('a.txt', path))).toMatchObject(refused);
      }
      expect(readdirSync(root)).toEqual(['a.txt', 'sub']);
      await engine.files.write('other/.cofferdamignore', 'means nothing there');
    });
  });

  describe(`directories inside one another (${kind})`, () => {
    const nested = (more: Parameters<typeof openWallFixture>[2]): WallFixture =>
      openWallFixture(
        kind,
        {
          'a.txt': 'a',
          'sub/a.txt': 'b',
          'sub/c.txt': KEY,
          'sub/d.txt': PLAN,
          'sub/.cofferdamignore': '/d.txt\n',
        },
        { roots: ['work', 'work/sub'], ...more },
      );

    it('withhold what the rules of either withhold, however the path leads there', async () => {
      const { root, engine } = nested({ deny: ['/sub/c.txt', '/a.txt'] });
      for (const path of ['sub/c.txt', join(root, 'sub/c.txt'), 'a.txt', 'sub/a.txt']) {
        expect([path, await failureOf(engine.files.read(path))]).toMatchObject([path, { kind: 'denied' }]);
      }
      expect(await failureOf(engine.files.read('sub/d.txt'))).toMatchObject({ kind: 'not-found' });
      const { files } = await engine.search.grep('.', { regex: '.', maxMatches: 9 });
      expect(files).toEqual([]);
      expect((await engine.search.walk('.', {})).entries.map(({ path }) => path)).not.toContain('sub/d.txt');
      expect((await engine.files.listAll('.')).entries.map(({ path }) => path)).not.toContain('sub/d.txt');
    });

    it('withhold a given directory that the rules of the outer one withhold', async () => {
      const denied = nested({ deny: ['sub'] });
      for (const path of ['sub', 'sub/a.txt', join(denied.root, 'sub/a.txt')]) {
        expect(await failureOf(denied.engine.files.read(path))).toMatchObject({ kind: 'denied' });
      }
      const hidden = nested({ hide: ['sub/'] });
      for (const path of ['sub', 'sub/a.txt', join(hidden.root, 'sub/a.txt')]) {
        expect(await failureOf(hidden.engine.files.read(path))).toMatchObject({ kind: 'not-found' });
      }
    });

    it('hold in an engine that is narrowed to a directory', async () => {
      const { engine } = openWallFixture(
        kind,
        { ...TREE, 'app/inner/.env': KEY },
        { ...RULES, deny: ['/app/main.ts', '.env'] },
      );
      const inner = await engine.within('app');
      for (const path of ['main.ts', '.env', 'inner/.env']) {
        expect(await failureOf(inner.files.read(path))).toMatchObject({ kind: 'denied' });
      }
      expect((await inner.search.grep('.', { regex: '.', maxMatches: 9 })).files).toEqual([]);
      expect((await inner.files.list('.')).map(({ name }) => name)).toEqual(['.env', 'inner', 'main.ts']);
      expect(await failureOf(engine.within('vaults'))).toMatchObject({ kind: 'not-found' });
      expect(await failureOf(engine.within('plans'))).toMatchObject({ kind: 'not-found' });
    });
  });
}

function writeBack(root: string): void {
  for (const path of ['plans/next.txt', 'app/plan.md'] as const) {
    mkdirSync(join(root, 'plans'), { recursive: true });
    writeFileSync(join(root, path), PLAN);
  }
}
