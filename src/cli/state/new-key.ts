/** `cofferdam state new-key`: gives all servers of a fleet a new key. The previous one stays valid. */

import type { Outcome } from '../output.ts';
import { connectToFleet } from './fleet.ts';

export async function makeNewKey(address: string): Promise<Outcome> {
  const fleet = await connectToFleet(address, [], false);
  try {
    await fleet.openState().sessions.addKey();
    return {
      output: `All servers of ${fleet.says} sign with a new key from now on.
What the previous key signed stays valid until you run this again. A fleet with COFFERDAM_SECRET uses that instead.
`,
      failed: false,
    };
  } finally {
    await fleet.close();
  }
}
