/** The quick check of arguments agrees with the validator, for every tool. */
import { expect, it } from 'vitest';
import { checkBySchema } from '../../../src/dialects/arguments/arguments.ts';
import { plainArguments } from '../../../src/dialects/arguments/plain-arguments.ts';
import { dialects } from '../../../src/dialects/index.ts';
import { pick, seededRandom } from '../../engine/text/patch/samples.ts';

const VALUES = [
  '',
  'a.txt',
  'auto',
  '\ud800',
  0,
  1,
  -1,
  1.5,
  1e300,
  true,
  false,
  null,
  undefined,
  [],
  ['a'],
  {},
];

it('accepts only what the validator accepts, with the same defaults', async () => {
  const random = seededRandom(11);
  const tools = dialects.flatMap((dialect) => dialect.tools);
  let plain = 0;
  for (const tool of tools) {
    const names = [...Object.keys(tool.input.properties), ...Object.keys(tool.aliases), 'other', '__proto__'];
    for (let round = 0; round < 60; round++) {
      const given = Array.from({ length: random(4) }, () => pick(random, names));
      const args = {
        ...fitting(tool.input.required),
        ...Object.fromEntries(given.map((name) => [name, pick(random, VALUES)])),
      };
      const quick = plainArguments(tool.input, args);
      if (quick === undefined) continue;
      plain++;
      expect(quick, `${tool.name} ${JSON.stringify(args)}`).toEqual(await checkBySchema(tool, args));
    }
  }
  expect(plain).toBeGreaterThan(500);
});

function fitting(required: readonly string[] = []): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, 'a']));
}

it('refuses nothing itself: the validator judges what is missing, unknown, too small or not valid Unicode', () => {
  const input = {
    type: 'object',
    properties: { path: { type: 'string' }, head: { type: 'integer', minimum: 1 } },
    required: ['path'],
  } as const;
  expect(plainArguments(input, { path: 'a', head: 1 })).toEqual({ path: 'a', head: 1 });
  for (const sent of [
    undefined,
    null,
    [],
    {},
    { head: 1 },
    { path: 1 },
    { path: 'a', head: 0 },
    { path: 'a', x: 1 },
  ])
    expect(plainArguments(input, sent)).toBeUndefined();
  expect(plainArguments(input, { path: 'half \ud800' })).toBeUndefined();
});
