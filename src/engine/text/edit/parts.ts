/** Describes a changed text as a list of parts, each kept from the old text or new. */
import type { Splices } from './splice.ts';

/** A range of the old text, or new text. The ranges are in ascending order. */
export type Part = { from: number; to: number } | { text: string };

export function textOfParts(old: string, parts: readonly Part[]): string {
  return parts.map((part) => ('text' in part ? part.text : old.slice(part.from, part.to))).join('');
}

/** The parts of a text of this length after the splices. */
export function partsOf(length: number, splices: Splices): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (const { start, end, text } of splices) {
    if (start > at) parts.push({ from: at, to: start });
    if (text !== '') parts.push({ text });
    at = end;
  }
  if (length > at) parts.push({ from: at, to: length });
  return parts;
}

/** The parts of a text that was changed twice: `later` refers to the text that `earlier` made. */
export function composed(earlier: readonly Part[], later: readonly Part[]): Part[] {
  const parts: Part[] = [];
  let index = 0;
  let before = 0;
  for (const part of later) {
    if ('text' in part) {
      parts.push(part);
      continue;
    }
    for (let at = part.from; at < part.to; ) {
      while (before + lengthOf(earlier[index]!) <= at) before += lengthOf(earlier[index++]!);
      const end = Math.min(part.to, before + lengthOf(earlier[index]!));
      parts.push(sliceOf(earlier[index]!, at - before, end - before));
      at = end;
    }
  }
  return parts;
}

/** The parts without the last characters of the new text. */
export function withoutLastCharacters(parts: readonly Part[], characters: number): Part[] {
  const left = [...parts];
  for (let missing = characters; missing > 0; ) {
    const last = left.pop()!;
    const length = lengthOf(last);
    if (length > missing) left.push(sliceOf(last, 0, length - missing));
    missing -= length;
  }
  return left;
}

function lengthOf(part: Part): number {
  return 'text' in part ? part.text.length : part.to - part.from;
}

function sliceOf(part: Part, start: number, end: number): Part {
  return 'text' in part
    ? { text: part.text.slice(start, end) }
    : { from: part.from + start, to: part.from + end };
}
