/** Words the call that continues where an answer ended. */
import { answerBytes, type Budget, NOTE_WORDS } from './token-budget.ts';

/**
 * Words a call with the arguments `args` and `more`. It leaves out arguments that the client did not send, and writes
 * 'the same arguments' for `args` if they would take up half of the answer.
 */
export function nextCall(tool: string, args: object, more: object, budget: Budget): string {
  const whole = `next: ${tool} ${sentJson({ ...args, ...more })}`;
  if (noteFits(whole, budget)) return whole;
  return `next: ${tool} with the same arguments and ${sentJson(more)}`;
}

/** Whether the answer has room for such a call and the words around it. */
export function noteFits(next: string, budget: Budget): boolean {
  const most = (answerBytes(budget) >> 1) - NOTE_WORDS / 2;
  return Buffer.byteLength(next) <= most;
}

function sentJson(args: object): string {
  const sent = Object.entries(args).filter(
    ([, value]) => value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.stringify(Object.fromEntries(sent));
}
