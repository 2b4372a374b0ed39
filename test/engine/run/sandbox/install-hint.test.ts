import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bubblewrapInstallCommand } from '../../../../src/engine/run/sandbox/install-hint.ts';
import { layOut, temporaryDirectory } from '../../../tree.ts';

describe.runIf(process.platform === 'linux')('the command that installs bubblewrap (needs Linux)', () => {
  let base: ReturnType<typeof temporaryDirectory>;

  beforeEach(() => {
    base = temporaryDirectory();
  });

  afterEach(() => base.remove());

  it.each([
    ['apt-get', 'sudo apt install bubblewrap'],
    ['dnf', 'sudo dnf install bubblewrap'],
    ['pacman', 'sudo pacman -S bubblewrap'],
    ['apk', 'sudo apk add bubblewrap'],
  ])('depends on the package manager: %s', (name, command) => {
    expect(bubblewrapInstallCommand([base.path])).toBeUndefined();
    layOut(base.path, { [name]: '' });
    expect(bubblewrapInstallCommand([base.path])).toBe(command);
  });
});
