/** Why a regular expression cannot be taken, without what V8 repeats of it: flags that nobody wrote, for one. */
export function regexReason(error: unknown): string {
  const { message } = error as Error;
  return /^Invalid regular expression: \/.*\/[a-z]*: (.*)$/s.exec(message)?.[1] ?? message;
}
