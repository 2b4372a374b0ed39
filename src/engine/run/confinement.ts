/** What confines commands on this machine, and what does not. */

import type { LaunchSettings } from './launch.ts';
import type { Profile } from './profiles.ts';
import { readingProfile } from './profiles.ts';

/** One measure that confines commands. */
export interface Confinement {
  name: string;
  active: boolean;
  why: string;
}

const ARGUMENT_RULES = 'argument rules';

/** The names of the measures that confine a command of this profile. */
export function activeConfinement(settings: LaunchSettings, profile: Profile): string[] {
  const names = confinementReport(settings).flatMap(({ name, active }) => (active ? [name] : []));
  return profile === readingProfile ? names : names.filter((name) => name !== ARGUMENT_RULES);
}

function withoutSandbox({ kind, why }: { kind: 'none' | 'failing'; why: string }): string {
  return kind === 'failing' ? `${why}; no command runs until it works` : why;
}

export function confinementReport({ sandbox, setpriv, passedVariables }: LaunchSettings): Confinement[] {
  const boxed = sandbox.kind === 'bubblewrap';
  const filtered = boxed && sandbox.features.seccomp;
  const offline = boxed && !sandbox.network;
  const names = Object.keys(passedVariables);
  return [
    {
      name: ARGUMENT_RULES,
      active: true,
      why: 'reading commands take only declared options, and paths inside',
    },
    {
      name: 'bubblewrap',
      active: boxed,
      why: boxed ? 'commands see the system, read-only, and the given directories' : withoutSandbox(sandbox),
    },
    {
      name: 'no network',
      active: offline,
      why: offline ? 'commands have no network' : boxed ? 'the network is allowed' : 'needs bubblewrap',
    },
    {
      name: 'system calls',
      active: filtered,
      why: filtered
        ? 'keyrings, tracing, mounts, namespaces, io_uring and unusual sockets are refused'
        : boxed
          ? 'this system or its bubblewrap takes no filter'
          : 'needs bubblewrap',
    },
    {
      name: 'no new privileges',
      active: boxed || setpriv !== undefined,
      why: boxed || setpriv ? 'sudo and its like do not work' : 'setpriv of util-linux is missing or too old',
    },
    {
      name: 'limits',
      active: true,
      why: 'time, output, memory, file size and number of processes are limited',
    },
    {
      name: 'own environment',
      active: true,
      why: names.length > 0 ? `a fixed set, and ${names.join(', ')}` : 'a fixed set of variables',
    },
    {
      name: 'nothing survives',
      active: boxed,
      why: boxed
        ? 'commands die with their namespace, and with the server'
        : 'groups, marks and children are followed and ended, but a process can hide; bubblewrap is sure',
    },
  ];
}
