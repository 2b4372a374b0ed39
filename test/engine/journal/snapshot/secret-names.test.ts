/** The names of secrets that no command's snapshot copies are those that `--deny secrets` denies. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isSecretName } from '../../../../src/engine/journal/snapshot/secret-names.ts';
import { openWallFixture } from '../../confine/wall-fixture.ts';

const SECRET = [
  ...['.env', '.env.local', '.env.example.bak', '.envrc', 'server.pem', 'server.key', 'a.p12', 'a.pfx'],
  ...['a.kdbx', 'id_rsa', 'id_rsa.old', 'id_ecdsa', 'id_ed25519.pub', '.netrc', '.npmrc', '.pypirc'],
  ...['.pgpass', '.git-credentials', 'credentials.json', 'my-credentials-2.json', '.ssh/config'],
  ...['.aws/config', '.gnupg/trust', '.docker/config.json', '.kube/config', 'deep/er/.env/in-it'],
];
const PLAIN = [
  ...['.env.example', '.env.sample', '.env.template', 'env', 'a.env', '.environment', 'pem', 'a.pem.txt'],
  ...['rsa_id', 'netrc', 'credentials.txt', 'ssh/config', 'docker/config.json', '.docker/other.json'],
  ...['.kube/other', 'key', 'monkey', '.npmrc.txt', 'kube/config'],
];

test('a snapshot leaves out exactly what `--deny secrets` denies', async () => {
  const paths = [...SECRET, ...PLAIN].flatMap((path) => [path, `below/${path}`]);
  const tree = Object.fromEntries(paths.map((path) => [path, 'x']));
  const { engine, root } = openWallFixture('strongest', tree, { deny: ['secrets'] });
  const denied: string[] = [];
  for (const path of paths) {
    await engine.files.read(path).catch(() => denied.push(path));
  }
  expect(denied).toEqual(paths.filter((path) => isSecretName(join(root, path), root)));
  expect(denied).toEqual(SECRET.flatMap((path) => [path, `below/${path}`]));
});
