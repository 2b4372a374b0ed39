/** Says how to install bubblewrap with the package manager of this system. */
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

/** The command that installs bubblewrap. Undefined when no known package manager is found. */
export function bubblewrapInstallCommand(places: readonly string[] = PLACES): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const found = COMMANDS.find(([program]) => places.some((place) => existsSync(join(place, program))));
  return found?.[1];
}
