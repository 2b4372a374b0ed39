/** Servers that tests start keep their journal and trace in a folder of this run, not in the user's. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default function setup(): () => void {
  const home = mkdtempSync(join(tmpdir(), 'cofferdam-state-'));
  process.env.XDG_STATE_HOME = home;
  return () => rmSync(home, { recursive: true, force: true });
}
