/** Writes a filter for system calls, a classic BPF program with which the kernel refuses what commands never need. */

import { existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The numbers of system calls on one kind of processor. */
interface Architecture {
  /** The number of this kind of processor in the data that the kernel gives a filter. */
  arch: number;
  /** Numbers from here on belong to another calling convention (x32), which the filter refuses as a whole. */
  foreignFrom?: number;
  socket: number;
  socketpair: number;
  shmget: number;
  ioctl: number;
  clone: number;
  unshare: number;
  refused: Readonly<Record<string, number>>;
}

/** Newer system calls have the same number on every processor. */
const NEWER = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  process_madvise: 440,
  mount_setattr: 442,
  open_tree_attr: 467,
} as const;
const CLONE3 = 435;

const MACHINES: Readonly<Record<string, Architecture>> = {
  x64: {
    arch: 0xc000003e,
    foreignFrom: 0x40000000,
    socket: 41,
    socketpair: 53,
    shmget: 29,
    ioctl: 16,
    clone: 56,
    unshare: 272,
    refused: {
      ...NEWER,
      ptrace: 101,
      syslog: 103,
      vhangup: 153,
      modify_ldt: 154,
      pivot_root: 155,
      adjtimex: 159,
      acct: 163,
      settimeofday: 164,
      mount: 165,
      umount2: 166,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      iopl: 172,
      ioperm: 173,
      init_module: 175,
      delete_module: 176,
      quotactl: 179,
      lookup_dcookie: 212,
      clock_settime: 227,
      kexec_load: 246,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      perf_event_open: 298,
      open_by_handle_at: 304,
      clock_adjtime: 305,
      setns: 308,
      process_vm_readv: 310,
      process_vm_writev: 311,
      kcmp: 312,
      finit_module: 313,
      kexec_file_load: 320,
      bpf: 321,
      userfaultfd: 323,
    },
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    socketpair: 199,
    shmget: 194,
    ioctl: 29,
    clone: 220,
    unshare: 97,
    refused: {
      ...NEWER,
      lookup_dcookie: 18,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      vhangup: 58,
      quotactl: 60,
      acct: 89,
      kexec_load: 104,
      init_module: 105,
      delete_module: 106,
      clock_settime: 112,
      syslog: 116,
      ptrace: 117,
      reboot: 142,
      settimeofday: 170,
      adjtimex: 171,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      swapon: 224,
      swapoff: 225,
      perf_event_open: 241,
      open_by_handle_at: 265,
      clock_adjtime: 266,
      setns: 268,
      process_vm_readv: 270,
      process_vm_writev: 271,
      kcmp: 272,
      finit_module: 273,
      bpf: 280,
      userfaultfd: 282,
      kexec_file_load: 294,
    },
  },
};

/** Address families that ordinary programs use: Unix, IPv4, IPv6 and netlink. */
const AF_UNIX = 1;
const ADDRESS_FAMILIES = [2, 10, 16];
/** Types of socket pairs that stay connected (stream, sequenced). A datagram socket can connect to another name. */
const SOCK_TYPE_MASK = 0xf;
const LASTING_PAIRS = [1, 5];
/** Flags that make a namespace. `clone` has a signal in the lowest byte, where `unshare` has one more flag. */
const NAMESPACES = 0x7e020000;
const TIME_NAMESPACE = 0x80;
/** Requests that type into the terminal of another process. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/**
 * The largest System V segment. While no process has a segment attached, the kernel counts it as no process's memory. A
 * namespace has at most 4096 segments, so that together they have at most 4 GiB.
 */
const LARGEST_SEGMENT = 1024 * 1024;

const EPERM = 1;
const EINVAL = 22;
const ENOSYS = 38;
const ESOCKTNOSUPPORT = 94;
const EAFNOSUPPORT = 97;

/** Offsets in the data that the kernel gives a filter. Arguments have 64 bits, with the lower half first. */
const NUMBER = 0;
const ARCH = 4;
const argument = (index: number) => 16 + 8 * index;

const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const fails = (errno: number) => 0x00050000 | errno;

export interface FilterOptions {
  /** Whether commands may open Unix sockets. Pairs that cannot reach a named socket are always allowed. */
  unixSockets: boolean;
}

/** The filter for this kind of processor. Undefined when its system call numbers are unknown. */
export function seccompFilter(options: FilterOptions, processor: string = process.arch): Buffer | undefined {
  const machine = MACHINES[processor];
  return machine && assemble(programFor(machine, options));
}

/** Opens the filter, which is stored in `directory`, for bubblewrap to read. Undefined when there is no filter. */
export function openSeccompFilter(directory: string, options: FilterOptions): number | undefined {
  const bytes = seccompFilter(options);
  if (!bytes) return undefined;
  const file = join(directory, options.unixSockets ? 'filter' : 'filter-without-sockets');
  if (!existsSync(file)) writeFileSync(file, bytes);
  return openSync(file, 'r');
}

type Instruction = [code: number, value: number, skipIfTrue?: number, skipIfFalse?: number];

function programFor(machine: Architecture, { unixSockets }: FilterOptions): Instruction[] {
  const families = unixSockets ? [AF_UNIX, ...ADDRESS_FAMILIES] : ADDRESS_FAMILIES;
  const { foreignFrom } = machine;
  return [
    [LOAD, ARCH],
    [JUMP_EQUAL, machine.arch, 1, 0],
    [RETURN, fails(ENOSYS)],
    [LOAD, NUMBER],
    ...(foreignFrom === undefined ? [] : when([JUMP_AT_LEAST, foreignFrom], [[RETURN, fails(ENOSYS)]])),
    // A filter cannot read the flags of `clone3`, which are in memory. Programs fall back to `clone`.
    ...when([JUMP_EQUAL, CLONE3], [[RETURN, fails(ENOSYS)]]),
    ...Object.values(machine.refused).flatMap((number) =>
      when([JUMP_EQUAL, number], [[RETURN, fails(EPERM)]]),
    ),
    ...when(
      [JUMP_EQUAL, machine.socket],
      [
        [LOAD, argument(0)],
        ...families.flatMap((family) => when([JUMP_EQUAL, family], [[RETURN, ALLOW]])),
        [RETURN, fails(EAFNOSUPPORT)],
      ],
    ),
    ...(unixSockets ? [] : when([JUMP_EQUAL, machine.socketpair], lastingPairs())),
    ...when([JUMP_EQUAL, machine.shmget], smallSegments()),
    ...when([JUMP_EQUAL, machine.clone], refusingBits(NAMESPACES)),
    ...when([JUMP_EQUAL, machine.unshare], refusingBits(NAMESPACES | TIME_NAMESPACE)),
    ...when(
      [JUMP_EQUAL, machine.ioctl],
      [
        [LOAD, argument(1)],
        ...[TIOCSTI, TIOCLINUX].flatMap((request) => when([JUMP_EQUAL, request], [[RETURN, fails(EPERM)]])),
        [RETURN, ALLOW],
      ],
    ),
    [RETURN, ALLOW],
  ];
}

function lastingPairs(): Instruction[] {
  return [
    [LOAD, argument(1)],
    [AND, SOCK_TYPE_MASK],
    ...LASTING_PAIRS.flatMap((type) => when([JUMP_EQUAL, type], [[RETURN, ALLOW]])),
    [RETURN, fails(ESOCKTNOSUPPORT)],
  ];
}

/** Refuses large segments as the kernel does with a smaller SHMMAX. */
function smallSegments(): Instruction[] {
  return [
    [LOAD, argument(1) + 4],
    [JUMP_EQUAL, 0, 1, 0],
    [RETURN, fails(EINVAL)],
    [LOAD, argument(1)],
    ...when([JUMP_AT_LEAST, LARGEST_SEGMENT + 1], [[RETURN, fails(EINVAL)]]),
    [RETURN, ALLOW],
  ];
}

/** Refuses a call whose first argument has any of the bits. */
function refusingBits(bits: number): Instruction[] {
  return [[LOAD, argument(0)], ...when([JUMP_ANY_BIT, bits], [[RETURN, fails(EPERM)]]), [RETURN, ALLOW]];
}

/** The test, and a body that is skipped unless the test holds. */
function when([code, value]: [code: number, value: number], body: Instruction[]): Instruction[] {
  return [[code, value, 0, body.length], ...body];
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, value, skipIfTrue = 0, skipIfFalse = 0], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(skipIfTrue, index * 8 + 2);
    bytes.writeUInt8(skipIfFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
