/** Why a regular expression is invalid, without the pattern and flags that V8 repeats: we added some of the flags. */
export function regexReason(error: unknown): string {
  const { message } = error as Error;
  return /^Invalid regular expression: \/.*\/[a-z]*: (.*)$/s.exec(message)?.[1] ?? message;
}
