/**
 * The replacement text of a regex edit, in two styles. In `sed`, `\1` and `$1` mean the same, and a reference to a
 * group that the pattern does not have is an error before anything changes. In `ecmascript`, the text means exactly
 * what it means to `String.prototype.replace`.
 */
export type ReplacementStyle = 'sed' | 'ecmascript';

export type ReplacementPart = { literal: string } | { group: number } | { name: string };

export interface PatternGroups {
  count: number;
  names: readonly string[];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };

/** The groups of a pattern: with an empty alternative added, it always matches the empty string and lists them. */
export function groupsOf(source: string, flags: string): PatternGroups {
  const found = new RegExp(`${source}|`, flags.replace(/[gy]/g, '')).exec('');
  return { count: (found?.length ?? 1) - 1, names: Object.keys(found?.groups ?? {}) };
}

export function parseReplacement(
  template: string,
  groups: PatternGroups,
): ReplacementPart[] | { badReference: string } {
  const parts: ReplacementPart[] = [];
  let literal = '';
  const push = (part: ReplacementPart) => {
    if (literal !== '') parts.push({ literal });
    literal = '';
    parts.push(part);
  };
  for (let at = 0; at < template.length; at++) {
    const mark = template[at]!;
    const next = template[at + 1] ?? '';
    if ((mark === '\\' || mark === '$') && /[0-9]/.test(next)) {
      if (Number(next) > groups.count) return { badReference: mark + next };
      push({ group: Number(next) });
      at++;
    } else if (mark === '$' && next === '&') {
      push({ group: 0 });
      at++;
    } else if (mark === '$' && next === '$') {
      literal += '$';
      at++;
    } else if (mark === '\\' && ESCAPES[next] !== undefined) {
      literal += ESCAPES[next];
      at++;
    } else {
      // As in ECMAScript, `$<name>` is a reference only if the pattern has named groups.
      const named = mark === '$' && groups.names.length > 0;
      const name = named ? /^<([^>]*)>/.exec(template.slice(at + 1))?.[1] : undefined;
      if (name === undefined) {
        literal += mark;
        continue;
      }
      if (!groups.names.includes(name)) return { badReference: `$<${name}>` };
      push({ name });
      at += name.length + 2;
    }
  }
  if (literal !== '') parts.push({ literal });
  return parts;
}

export function expandReplacement(parts: readonly ReplacementPart[], match: RegExpExecArray): string {
  return parts
    .map((part) => {
      if ('literal' in part) return part.literal;
      return ('group' in part ? match[part.group] : match.groups?.[part.name]) ?? '';
    })
    .join('');
}

/** What `String.prototype.replace` would insert for this match (GetSubstitution in the ECMAScript standard). */
export function substitute(template: string, match: RegExpExecArray): string {
  const groups = match.length - 1;
  return template.replace(
    /\$(?:\$|&|`|'|(\d{1,2})|<([^>]*)>)/g,
    (written, digits?: string, name?: string) => {
      if (written === '$$') return '$';
      if (written === '$&') return match[0];
      if (written === '$`') return match.input.slice(0, match.index);
      if (written === "$'") return match.input.slice(match.index + match[0].length);
      if (name !== undefined) return match.groups ? (match.groups[name] ?? '') : written;
      const two = Number(digits);
      if (two >= 1 && two <= groups) return match[two] ?? '';
      const one = Number(digits![0]);
      if (digits!.length === 2 && one >= 1 && one <= groups) return (match[one] ?? '') + digits![1];
      return written;
    },
  );
}
