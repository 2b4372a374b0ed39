/** File names that suggest a secret: such files are not copied before a command. */

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

/**
 * Ignores case: copies from other systems often have names such as `ID_RSA` or `Server.PEM`. A directory with such a
 * name makes everything in it a secret, as the same names do in `.gitignore`. The names above `root` do not count.
 */
export function isSecretName(path: string, root: string): boolean {
  const place = path.toLowerCase();
  if (PLACES.some((pattern) => pattern.test(place))) return true;
  const names = place.slice(root.length).split('/');
  return names.some(
    (name, at) =>
      FILES.some((pattern) => pattern.test(name)) || (at < names.length - 1 && DIRECTORIES.includes(name)),
  );
}
