/** The tokens of an argument list, compared with those of Node's own parser. */
import { parseArgs } from 'node:util';
import { expect, it } from 'vitest';
import { tokensOf } from '../../../src/cli/arguments/argument-tokens.ts';
import { type Flag, flags } from '../../../src/cli/arguments/options/flags.ts';
import { pick, seededRandom } from '../../engine/text/patch/samples.ts';

const known: readonly Flag[] = flags;
const options = Object.fromEntries(
  known.map(({ name, short, value }) => [
    name,
    { type: value ? ('string' as const) : ('boolean' as const), ...(short && { short }) },
  ]),
);

function byNode(args: string[]) {
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  return tokens.map(({ index: _, ...token }) => token);
}

it('random command lines have the same tokens as with parseArgs of Node', () => {
  const random = seededRandom(7);
  const names = [...known.map(({ name }) => name), 'stat', 'constructor', ''];
  const odd = ['--', '-', '', '--=', '---', '--=x', '-=', '-h', '-hV', '-Vh', '-hx=1', 'DIR', 'a=b'];
  const letters = ['h', 'V', 'x', '=', '-', ...known.flatMap(({ short }) => short ?? [])];
  const argument = () => {
    const name = pick(random, names);
    const group = Array.from({ length: 1 + random(4) }, () => pick(random, letters)).join('');
    return pick(random, [`--${name}`, `--${name}=${group}`, `-${group}`, group, pick(random, odd)]);
  };
  for (let round = 0; round < 3000; round++) {
    const args = Array.from({ length: random(6) }, argument);
    expect(tokensOf(args), args.join(' ')).toEqual(byNode(args));
  }
});
