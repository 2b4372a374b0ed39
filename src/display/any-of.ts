/** Words to choose from, as a sentence lists them: `a`, `a or b`, `a, b or c`. */
export function anyOf(words: readonly string[]): string {
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1');
}
