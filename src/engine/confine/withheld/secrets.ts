/** The usual names of files with secrets: what `secrets` stands for in a list of denied globs. */

export const SECRETS = 'secrets';

export const secretGlobs: readonly string[] = [
  '.env',
  '.env.*',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '.envrc',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  'id_rsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '.ssh/',
  '.aws/',
  '.gnupg/',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '*.kdbx',
  '*credentials*.json',
  '**/.docker/config.json',
  '**/.kube/config',
  '**/.git/config',
];
