/** Whether a call succeeded, in whichever form its dialect says so. */
import { expect } from 'vitest';
import type { Reply, WireClient } from '../client.ts';

export function outcomeOf({ result, error }: Reply): { failed: boolean; text: string } {
  const text = JSON.stringify(result ?? error);
  return { failed: error !== undefined || result?.isError === true || text.includes('"ok":false'), text };
}

export async function expectRefused(
  client: WireClient,
  tool: string,
  args: object,
  reason: RegExp,
): Promise<void> {
  const { failed, text } = outcomeOf(await client.call(tool, args));
  expect({ tool, args, failed, text }).toMatchObject({ failed: true, text: expect.stringMatching(reason) });
}

export async function expectDone(client: WireClient, tool: string, args: object): Promise<void> {
  const { failed, text } = outcomeOf(await client.call(tool, args));
  expect({ tool, args, failed, text }).toMatchObject({ failed: false });
}
