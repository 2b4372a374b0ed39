/**
 * The list of all packages in a release, in the form of CycloneDX. `npm sbom` lists what an installation fetches; the
 * code of other packages is inside the programs of dist/, and no installation shows it.
 */

/** `listed` is what npm says, `notices` the text of dist/THIRD-PARTY.txt, `lock` the lock file. */
export function completeSbom(listed, manifest, notices, lock) {
  const bundled = bundledIn(notices).map((each) => component(each, lock));
  const root = listed.metadata.component['bom-ref'];
  return {
    ...listed,
    metadata: {
      ...listed.metadata,
      // npm takes the name of the folder.
      component: { ...listed.metadata.component, name: manifest.name, type: 'application' },
    },
    components: [...listed.components, ...bundled],
    dependencies: [
      ...listed.dependencies.map((each) =>
        each.ref === root
          ? { ...each, dependsOn: [...each.dependsOn, ...bundled.map((one) => one['bom-ref'])] }
          : each,
      ),
      ...bundled.map((one) => ({ ref: one['bom-ref'], dependsOn: [] })),
    ],
  };
}

/** The packages that the build found in the programs: scripts/third-party.mjs writes a line for each. */
function bundledIn(notices) {
  return [...notices.matchAll(/^-{78}\n(\S+) (\S+) \((.+)\)$/gm)].map(([, name, version, license]) => ({
    name,
    version,
    license,
  }));
}

function component({ name, version, license }, lock) {
  const [path, locked] =
    Object.entries(lock.packages).find(
      ([place, each]) => place.endsWith(`node_modules/${name}`) && each.version === version,
    ) ?? [];
  if (path === undefined) throw new Error(`${name} ${version} is in dist/ and not in package-lock.json`);
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    properties: [{ name: 'cdx:npm:package:bundled', value: 'true' }],
    ...(locked.integrity ? { hashes: [hashOf(locked.integrity)] } : {}),
    licenses: [/ (?:OR|AND) /.test(license) ? { expression: license } : { license: { id: license } }],
  };
}

/** npm writes `sha512-` and base64; CycloneDX wants hexadecimal digits. */
function hashOf(integrity) {
  const [kind, digest] = integrity.split('-');
  return { alg: `SHA-${kind.slice(3)}`, content: Buffer.from(digest, 'base64').toString('hex') };
}
