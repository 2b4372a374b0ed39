/** How bubblewrap is installed on this system, by what is there to install it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const COMMANDS: readonly [program: string, command: string][] = [
  ['apt-get', 'sudo apt install bubblewrap'],
  ['dnf', 'sudo dnf install bubblewrap'],
  ['pacman', 'sudo pacman -S bubblewrap'],
  ['apk', 'sudo apk add bubblewrap'],
  ['zypper', 'sudo zypper install bubblewrap'],
  ['yum', 'sudo yum install bubblewrap'],
];
const PLACES = ['/usr/bin', '/bin', '/sbin', '/usr/sbin', '/usr/local/bin'];

/** The command to give; undefined where none is known. */
export function installCommand(places: readonly string[] = PLACES): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const found = COMMANDS.find(([program]) => places.some((place) => existsSync(join(place, program))));
  return found?.[1];
}
