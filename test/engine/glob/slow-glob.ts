/** An independent matcher that tries everything, and generated globs and paths to compare it on. */

export type Random = (below: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed * 2654435761;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[random(from.length)]!;
}

const pieces = [
  'a',
  'b',
  'ab',
  '.',
  '*',
  '*',
  '?',
  '[ab]',
  '[!a]',
  '[^b.]',
  '[a-b]',
  '\\*',
  '\\[',
  '**',
  '(',
  '!',
  'é',
];

function generateSegment(random: Random): string {
  if (random(4) === 0) return '**';
  return Array.from({ length: 1 + random(4) }, () => pick(random, pieces)).join('');
}

export function generatePattern(random: Random, depth: number): string {
  let pattern = '';
  for (let n = 1 + random(3); n > 0; n--) {
    pattern += depth < 2 && random(5) === 0 ? generateBraces(random, depth) : generateSegment(random);
    if (n > 1) pattern += pick(random, ['/', '/', '/', '']);
  }
  // `.` and `..` as whole segments are dropped or refused: they have tests of their own.
  return depth === 0 && /(^|[/{,])\.{1,2}($|[/},])/.test(pattern)
    ? `x${pattern.replaceAll('.', 'a')}`
    : pattern;
}

function generateBraces(random: Random, depth: number): string {
  const options = Array.from({ length: 2 + random(2) }, () => generatePattern(random, depth + 1));
  return `{${options.join(',')}}`;
}

const nameParts = ['a', 'b', 'ab', '.', 'é', '*', '[', '(', '!', 'ba'];

export function generatePath(random: Random): string {
  const names = Array.from({ length: 1 + random(4) }, () =>
    Array.from({ length: 1 + random(3) }, () => pick(random, nameParts)).join(''),
  );
  return names.map((name) => (/^\.{1,2}$/.test(name) ? 'a' : name)).join('/');
}

/** Braces by textual replacement, names by regular expression, `**` by trying every number of directories. */
export function slowlyMatches(pattern: string, path: string): boolean {
  const group = /\{([^{}]*)\}/.exec(pattern);
  if (group !== null) {
    const [whole, inside] = group;
    return inside!.split(',').some((option) => {
      const before = pattern.slice(0, group.index);
      return slowlyMatches(before + option + pattern.slice(group.index + whole.length), path);
    });
  }
  const segments = pattern.replace(/\/+/g, '/').split('/');
  if (segments.at(-1) === '') segments[segments.length - 1] = '**';
  return tryAll(segments, path.split('/'));
}

function tryAll([segment, ...segments]: string[], names: string[]): boolean {
  if (segment === undefined) return names.length === 0;
  if (segment === '**') {
    const least = segments.every((later) => later === '**') ? 1 : 0;
    for (let n = least; n <= names.length; n++) {
      if (segments.every((later) => later === '**') ? n === names.length : tryAll(segments, names.slice(n)))
        return true;
    }
    return false;
  }
  return names.length > 0 && nameRegExp(segment).test(names[0]!) && tryAll(segments, names.slice(1));
}

const regExps = new Map<string, RegExp>();

function nameRegExp(segment: string): RegExp {
  let known = regExps.get(segment);
  if (known === undefined) {
    const source = segment.replace(
      /\\(.)|\*+|\?|\[([!^]?)([^\]]*)\]|[\s\S]/gu,
      (whole: string, escaped?: string, negated?: string, inside?: string) => {
        if (escaped !== undefined) return `\\u{${escaped.codePointAt(0)!.toString(16)}}`;
        if (whole[0] === '*') return '[^/]*';
        if (whole === '?') return '[^/]';
        if (inside !== undefined) return `[${negated === '' ? '' : '^'}${inside}]`;
        return `\\u{${whole.codePointAt(0)!.toString(16)}}`;
      },
    );
    known = new RegExp(`^${source}$`, 'u');
    regExps.set(segment, known);
  }
  return known;
}
