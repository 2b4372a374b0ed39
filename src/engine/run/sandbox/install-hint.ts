/** How to install bubblewrap here, by the package manager that this system has. */
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

/** The command that installs bubblewrap; undefined where no known package manager is there. */
export function bubblewrapInstallCommand(places: readonly string[] = PLACES): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const found = COMMANDS.find(([program]) => places.some((place) => existsSync(join(place, program))));
  return found?.[1];
}
