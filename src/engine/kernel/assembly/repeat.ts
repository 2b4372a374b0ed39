/** Finds a text that occurs twice, as a backreference requires. Part of the kernel, see scan.ts. */

import { isWordByte, lower } from './bytes';
import { ALLOWED, TEXT } from './memory';

/** How many bytes to compare: a longer text counts as repeated. */
const LONGEST_REPEAT: usize = 256;

let repeatLead: usize = 0;
let repeatLeast: usize = 0;
let repeatGap: i32 = 0;
let repeatFromWord: bool = false;
let repeatToWord: bool = false;
let repeatFold: bool = false;
/** Where the word begins that `wordBefore` found last, and the place before which it was asked for. */
let wordFrom: usize = 0;
let wordSeen: usize = 0;

/**
 * The second occurrence of the text begins at `lead` in the window. The text has at least `least` bytes, all of the
 * class of that position. `gap` bytes are between both occurrences; -1 means any number of bytes of the class of the
 * position before `lead`.
 */
export function setRepeat(
  lead: usize,
  least: usize,
  gap: i32,
  fromWord: bool,
  toWord: bool,
  ignoreCase: bool,
): void {
  repeatLead = lead;
  repeatLeast = least;
  repeatGap = gap;
  repeatFromWord = fromWord;
  repeatToWord = toWord;
  repeatFold = ignoreCase;
}

/** Call this when the text in memory may have changed. */
export function forgetWord(): void {
  wordSeen = 0;
}

/** Whether the text at `lead` of the window at this place may also occur before the gap. */
export function isRepeatedAt(window: usize, end: usize): bool {
  const second = window + repeatLead;
  const least = repeatLeast;
  let stop = second - repeatGap;
  if (repeatGap < 0) {
    for (stop = second - 1; stop > TEXT && allows(stop - 1, repeatLead - 1); ) {
      stop--;
      if (second - stop > LONGEST_REPEAT) return true;
    }
  }
  if (repeatFromWord) {
    const length = stop - wordBefore(stop);
    return length >= least && isRepeatedFor(length, stop, second, end);
  }
  for (let length: usize = 1; second + length <= end; length++) {
    const first = stop - length;
    if (first < TEXT || !allows(first, repeatLead)) return false;
    if (length > LONGEST_REPEAT) return true;
    if (length >= least && isRepeatedFor(length, stop, second, end)) return true;
  }
  return false;
}

/**
 * Where the word before a place begins. Only the first byte of the class can begin a word: all others follow one. The
 * next place may be in the same word, so the result is kept.
 */
function wordBefore(stop: usize): usize {
  let at = stop;
  while (at > TEXT && at != wordSeen && allows(at - 1, repeatLead)) at--;
  if (at != wordSeen) wordFrom = at;
  wordSeen = stop;
  return wordFrom;
}

@inline
function isRepeatedFor(length: usize, stop: usize, second: usize, end: usize): bool {
  const first = stop - length;
  if (lower(load<u8>(first)) != lower(load<u8>(second)) || second + length > end) return false;
  if (repeatFromWord && first > TEXT && isWordByte(load<u8>(first - 1))) return false;
  if (repeatToWord && second + length < end && isWordByte(load<u8>(second + length))) return false;
  return isSame(first, second, min(length, LONGEST_REPEAT));
}

@inline
function allows(at: usize, position: usize): bool {
  return ((load<u32>(ALLOWED + (<usize>load<u8>(at)) * 4) >> (<u32>position)) & 1) != 0;
}

function isSame(first: usize, second: usize, length: usize): bool {
  for (let k = length; k > 0; k--) {
    const one = load<u8>(first + k - 1), two = load<u8>(second + k - 1);
    if (one != two && !(repeatFold && lower(one) == lower(two))) return false;
  }
  return true;
}
