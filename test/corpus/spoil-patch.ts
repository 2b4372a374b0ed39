/** Spoils a patch in the ways in which language models get patches wrong, or by changes of others to the file. */
import { countOfLine, withLineChanged } from './changed-part.ts';
import type { Random } from './spoil.ts';

/** A source, the patch, and what the result must be if the patch is applied at all. */
export interface PatchedSource {
  source: string;
  expected: string;
  patch: string;
}

/** Undefined for a patch that cannot be spoiled in this way. */
export type PatchSpoil = (patched: PatchedSource, random: Random) => PatchedSource | undefined;

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/gm;

const withHeader =
  (header: (line: number, random: Random) => string): PatchSpoil =>
  (patched, random) => ({
    ...patched,
    patch: patched.patch.replace(HEADER, (_, line: string) => header(Number(line), random)),
  });

const beginPatch = ({ patch, ...texts }: PatchedSource): PatchedSource => {
  const hunks = patch.split('\n').slice(2, -1).join('\n').replace(HEADER, '@@');
  return { ...texts, patch: `*** Begin Patch\n*** Update File: file\n${hunks}\n*** End Patch\n` };
};

/** Adds lines above that the author of the patch did not know about. */
const drifted = ({ source, expected, patch }: PatchedSource, random: Random): PatchedSource => {
  const above = '// somebody was here\n'.repeat(1 + random(30));
  return { source: above + source, expected: above + expected, patch };
};

/** After these, the patch still says what it means. */
export const TOLERABLE_IN_PATCHES: Record<string, PatchSpoil> = {
  'as it is': (patched) => patched,
  'wrong lines': withHeader((line, random) => `@@ -${line + 1 + random(40)},3 +${line},3 @@`),
  'wrong counts': withHeader((line, random) => `@@ -${line},${random(9)} +${line},${random(9)} @@`),
  'no counts': withHeader((line) => `@@ -${line} @@`),
  'bare headers': withHeader(() => '@@'),
  'headers of dots': withHeader(() => '@@ ... @@'),
  'the other form': beginPatch,
  'lines that are new above': drifted,
  'the other form, and lines that are new above': (patched, random) => beginPatch(drifted(patched, random)),
  'empty lines without their blank': ({ patch, ...texts }) => ({
    ...texts,
    patch: patch.replace(/^ $/gm, ''),
  }),
  'trailing blanks': ({ patch, ...texts }) => ({ ...texts, patch: patch.replace(/^( .*[^\s])$/gm, '$1  ') }),
  'line ends of the file': ({ source, expected, patch }) => ({
    source: source.replaceAll('\n', '\r\n'),
    expected: expected.replaceAll('\n', '\r\n'),
    patch,
  }),
  'line ends of the patch': ({ patch, ...texts }) => ({ ...texts, patch: patch.replaceAll('\n', '\r\n') }),
  'a fence': ({ patch, ...texts }) => ({ ...texts, patch: `Here:\n\`\`\`diff\n${patch}\`\`\`\nDone.\n` }),
};

/** After these, it is unclear what the patch means: it must be refused. */
export const INTOLERABLE_IN_PATCHES: Record<string, PatchSpoil> = {
  'a stale line': (patched) => replaced(patched, /^([ -](?!-- ).*)\S/m, '$1zzqy'),
  'lines left out': (patched) => replaced(patched, /^[ -](?!-- ).*\S[ \t]*$/m, ' ...'),
  'shifted indentation': (patched) => changedLines(patched, (line) => (line === '' ? line : `  ${line}`)),
  'tabs for blanks': (patched) => changedLines(patched, (line) => line.replace(/^ {2,}/, '\t')),
  'curly quotes': (patched) =>
    changedLines(patched, (line) => line.replace(/"([^"]*)"/g, '“$1”').replaceAll("'", '’')),
  /** Somebody has changed a line next to those that the patch changes. */
  'context that has changed since': ({ source, expected, patch }, random) => {
    const context = patch.split('\n').flatMap((line) => (/^ .*\w/.test(line) ? [line.slice(1)] : []));
    const lines = context.filter((line) => countOfLine(source, line) === 1);
    if (lines.length === 0) return undefined;
    const line = lines[random(lines.length)]!;
    return { source: withLineChanged(source, line), expected: withLineChanged(expected, line), patch };
  },
};

/** Undefined if nothing in the patch matches. */
function replaced(patched: PatchedSource, what: RegExp, by: string): PatchedSource | undefined {
  const patch = patched.patch.replace(what, by);
  return patch === patched.patch ? undefined : { ...patched, patch };
}

/** Changes all lines of the hunks; undefined if that changes no line that the file must have. */
function changedLines(patched: PatchedSource, change: (line: string) => string): PatchedSource | undefined {
  const lines = patched.patch.split('\n');
  const changed = lines.map((line, at) =>
    at < 2 || !/^[ +-]/.test(line) ? line : line[0] + change(line.slice(1)),
  );
  const isSpoiled = changed.some((line, at) => line !== lines[at] && !line.startsWith('+'));
  return isSpoiled ? { ...patched, patch: changed.join('\n') } : undefined;
}
