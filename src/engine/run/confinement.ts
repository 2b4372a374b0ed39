/** Reports which measures confine commands on this machine, and which do not. */

import type { LaunchSettings } from './launch.ts';
import type { Profile } from './profiles.ts';
import { readingProfile } from './profiles.ts';
import { type IpcEndpoints, MAX_SEARCHED_ENTRIES } from './sandbox/ipc-endpoints.ts';

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
      why: 'commands that only read take only declared options, and paths inside the directories',
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
        : 'the server ends every process of a command that it finds, but a process can hide; needs bubblewrap',
    },
  ];
}

/** Whether the sandbox masks every socket and FIFO in read-only roots. `endpoints` is undefined without a sandbox. */
export function maskingReport(
  endpoints: IpcEndpoints | undefined,
  { roots, sandbox }: LaunchSettings,
): Confinement {
  const name = 'masked sockets';
  if (endpoints === undefined) return { name, active: false, why: 'needs bubblewrap' };
  const { incomplete, paths } = endpoints;
  if (incomplete === undefined) {
    const why = `commands reach no socket or FIFO in read-only directories (${paths.length} masked)`;
    return { name, active: true, why };
  }
  const filtered = sandbox.kind === 'bubblewrap' && sandbox.features.seccomp;
  const reachable = filtered && !roots.some(({ writable }) => writable) ? 'FIFOs' : 'sockets and FIFOs';
  const most = MAX_SEARCHED_ENTRIES.toLocaleString('en');
  const why = `commands may reach ${reachable} in ${incomplete}: it has too many, a name that is not UTF-8, or more than ${most} entries`;
  return { name, active: false, why };
}
