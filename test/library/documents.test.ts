/** The examples in docs/LIBRARY.md and the README compile with the strictest options and print the shown output. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boxed } from '../commands/commands-fixture.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { compile, layOutProject } from './project.ts';

const root = resolve(import.meta.dirname, '../..');

/** The directory that the examples of the document use. */
const app = {
  '.env': 'TOKEN=1\n',
  'README.md': '# The app\n',
  'src/greet.ts': 'export function greet(name: string): string {\n  return `Hello, ${name}`;\n}\n',
  'src/main.ts':
    "import { greet } from './greet.ts';\n\n// TODO: take the name from the command line\nconsole.log(greet('world'));\n",
};

interface Example {
  title: string;
  code: string;
  prints: string;
}

const document = readFileSync(join(root, 'docs/LIBRARY.md'), 'utf8');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const examples = [
  ...examplesIn(document),
  ...examplesIn(readme.slice(readme.indexOf('## As a library'))).map((each) => ({
    ...each,
    title: 'the README',
  })),
].filter(({ code }) => boxed || !code.includes("'require'"));

/** Blocks of code that are followed by a block with their output. */
function examplesIn(text: string): Example[] {
  const blocks = text.matchAll(/^## ([^\n]+)$|^```ts\n(.*?)^```\n```text\n(.*?)^```$/gms);
  let title = '';
  return [...blocks].flatMap(([, heading, code, prints]) => {
    if (heading !== undefined) title = heading;
    return code === undefined ? [] : [{ title, code, prints: prints! }];
  });
}

let directory: { path: string; remove(): void };
let project: string;
beforeAll(() => {
  directory = temporaryDirectory();
  project = layOutProject(directory.path);
  for (const [index, { code }] of examples.entries()) writeFileSync(join(project, `${index}.ts`), code);
});
afterAll(() => directory.remove());

interface Outcome {
  stdout: string;
  error?: string;
}

/** Runs all examples in one process, because starting one takes longer than most examples. */
const RUN_ALL = `
  const [directory, project, count] = process.argv.slice(1);
  const outcomes = [];
  const { write } = process.stdout;
  for (let index = 0; index < Number(count); index++) {
    process.env.HOME = directory + '/home-' + index;
    const outcome = { stdout: '' };
    process.stdout.write = (text) => Boolean((outcome.stdout += text));
    await import(project + '/out/' + index + '.js').catch((error) => (outcome.error = String(error)));
    outcomes.push(outcome);
  }
  process.stdout.write = write;
  console.log(JSON.stringify(outcomes));`;

let outcomes: Outcome[] | undefined;
function outcomeOf(index: number): Outcome {
  outcomes ??= runAll();
  return outcomes[index]!;
}

function runAll(): Outcome[] {
  for (const index of examples.keys()) layOut(join(directory.path, `home-${index}/code/app`), app);
  const args = ['--input-type=module', '-e', RUN_ALL, directory.path, project, `${examples.length}`];
  const env = { PATH: process.env.PATH };
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8', env });
  // The process ends by itself, so no example leaves anything running.
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  return JSON.parse(ran.stdout) as Outcome[];
}

describe('the examples of the documents', () => {
  it('are ten or more', () => {
    const titles = examples.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Open', 'Search', 'Undo', 'Failures', 'the README']));
    expect(examples.length).toBeGreaterThanOrEqual(10);
    expect(document.match(/^```ts$/gm)).toHaveLength(document.match(/^```text$/gm)!.length);
  });

  it('compile with the strictest options', () => {
    expect(
      compile(
        project,
        examples.map((_, index) => `${index}.ts`),
      ),
    ).toEqual({ status: 0, says: '' });
  });

  it.each(examples.map((example, index) => ({ ...example, index })))(
    'run and print the output that the document shows: $title',
    ({ prints, index }) => {
      expect(outcomeOf(index)).toEqual({ stdout: prints });
    },
  );
});

it('the document names every kind of failure', () => {
  const union = readFileSync(join(root, 'src/engine/failures.ts'), 'utf8');
  const kinds = [...union.matchAll(/\bkind: '([\w-]+)'/g)].map(([, kind]) => kind!);
  const [table] = /^\| about \| kinds \|\n(\|.*\n)+/m.exec(document)!;
  const named = [...table.matchAll(/`([\w-]+)`/g)].map(([, kind]) => kind!);
  expect(named.sort()).toEqual([...new Set(kinds)].sort());
});
