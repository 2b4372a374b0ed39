/**
 * Decides whether an awk program would read, write or run something by itself.
 *
 * Versions of awk read the same text differently, so this follows every reading of the program that some version may
 * have. A program is allowed when at least one reading makes sense, and no reading that does contains a forbidden act.
 */

import { AwkReading } from './awk-readings.ts';
import { awkStep } from './awk-tokens.ts';
import type { ScriptProblem } from './script-problem.ts';
import { excerptAt, tooLong } from './script-problem.ts';

/** The limit on tokens of all readings together, since a hostile program could have very many readings. */
const MAX_TOKENS = 200_000;
const MAX_DEPTH = 200;

/** The first thing in `program` that is not allowed, or undefined for a harmless program. */
export function awkScriptProblem(program: string): ScriptProblem | undefined {
  const odd = tooLong(program) ?? hiddenLineEnd(program);
  return odd ?? new AwkReadings(program).problem();
}

/** Some versions skip a carriage return after a backslash anywhere. */
function hiddenLineEnd(program: string): ScriptProblem | undefined {
  const at = program.indexOf('\\\r');
  if (at < 0) return undefined;
  return { at: excerptAt(program, at), reason: 'versions of awk disagree on a backslash before \\r' };
}

class AwkReadings {
  readonly #program: string;
  /** Readings that branched off and wait to be followed. */
  readonly #open = [new AwkReading()];
  readonly #seen = new Set<string>();
  #tokens = 0;
  #readable = false;
  #unreadable: ScriptProblem | undefined;

  constructor(program: string) {
    this.#program = program;
  }

  problem(): ScriptProblem | undefined {
    for (let reading = this.#open.pop(); reading; reading = this.#open.pop()) {
      if (!this.#follow(reading)) continue;
      const { problem } = reading;
      if (problem) return { at: excerptAt(this.#program, problem.at), ...problem.why };
      this.#readable = true;
    }
    return this.#readable ? undefined : this.#unreadable;
  }

  /** Whether the reading makes sense up to the end of the program. */
  #follow(reading: AwkReading): boolean {
    for (;;) {
      const step = awkStep(this.#program, reading.at, reading);
      if (step.disputed) reading.note(step.disputed.at, { reason: step.disputed.reason });
      if (step.unreadable) return this.#giveUp(reading, step.unreadable);
      const [first, ...others] = step.tokens;
      if (!first && (step.lost || reading.open === '')) return true;
      if (!first) return this.#giveUp(reading, `${shownBracket(reading.open)} is never closed`);
      this.#tokens += step.tokens.length;
      if (this.#tokens > MAX_TOKENS || reading.open.length > MAX_DEPTH) {
        reading.note(0, { reason: 'the program is too intricate to be checked' });
        return true;
      }
      if (others.length > 0 && !this.#isNew(reading)) return false;
      for (const other of others) {
        const branch = reading.copy();
        if (branch.take(other) === undefined) this.#open.push(branch);
      }
      const mistake = reading.take(first);
      if (mistake) return this.#giveUp(reading, mistake);
    }
  }

  #isNew(reading: AwkReading): boolean {
    const key = reading.key();
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #giveUp(reading: AwkReading, reason: string): false {
    this.#unreadable ??= {
      at: excerptAt(this.#program, reading.at),
      reason: `the program cannot be read: ${reason}`,
    };
    return false;
  }
}

function shownBracket(open: string): string {
  const last = open.at(-1)!;
  return '?s'.includes(last) ? '(' : last === 'e' ? '[' : last;
}
