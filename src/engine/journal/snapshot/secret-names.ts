/** Names under which secrets are usually kept: such files are not copied before a command. */
import { basename, dirname } from 'node:path';

const FILES: readonly RegExp[] = [
  /^\.env(?:\.(?!example$|sample$|template$).*)?$/,
  /^\.envrc$/,
  /\.(?:pem|key|p12|pfx|kdbx)$/,
  /^id_(?:rsa|ecdsa|ed25519)/,
  /^\.(?:netrc|npmrc|pypirc|pgpass|git-credentials)$/,
  /credentials.*\.json$/,
];
const DIRECTORIES: readonly string[] = ['.ssh', '.aws', '.gnupg'];
const PLACES: readonly RegExp[] = [/\/\.docker\/config\.json$/, /\/\.kube\/config$/, /\/\.git\/config$/];

/** `root`: what lies above it says nothing. */
export function isSecretName(path: string, root: string): boolean {
  const name = basename(path);
  if (FILES.some((pattern) => pattern.test(name))) return true;
  if (PLACES.some((pattern) => pattern.test(path))) return true;
  for (let above = dirname(path); above.length > root.length; above = dirname(above)) {
    if (DIRECTORIES.includes(basename(above))) return true;
  }
  return false;
}
