/** What the kernel refuses to commands in the sandbox, and the sockets of other programs that are in a root. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InProcessClient } from '../in-process.ts';
import { layOut, temporaryDirectory } from '../tree.ts';
import { boxed, programOnPath } from './commands-fixture.ts';

const able = boxed && process.arch === 'x64' && programOnPath('python3') !== undefined;

/** Prints the result of each system call, by its name. */
const CALLS = `
import ctypes, errno, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(name, number, *args):
    ctypes.set_errno(0)
    done = libc.syscall(number, *args)
    print(name, 'done' if done >= 0 else errno.errorcode[ctypes.get_errno()])
call('keyctl', 250, 0, -3, 0, 0, 0)
call('add_key', 248, b'user', b'x', b'y', 1, -3)
call('request_key', 249, b'user', b'x', 0, 0)
call('ptrace', 101, 0, 0, 0, 0)
call('bpf', 321, 0, 0, 0)
call('userfaultfd', 323, 0)
call('perf_event_open', 298, 0, 0, -1, -1, 0)
call('io_uring_setup', 425, 1, 0)
call('mount', 165, b'a', b'/tmp', b'tmpfs', 0, 0)
call('process_vm_readv', 310, 1, 0, 0, 0, 0, 0)
call('open_tree_attr', 467, -100, b'/tmp', 1, 0, 0)
call('open_by_handle_at', 304, -100, 0, 0)
call('unshare-user', 272, 0x10000000)
call('clone-user', 56, 0x10000000 | 17, 0, 0, 0, 0)
call('unshare-files', 272, 0x400)
call('x32-getpid', 0x40000000 + 39)
call('getpid', 39)
call('shmget', 29, 0, ctypes.c_size_t(1 << 30), 0o600)
try:
    print('keys', open('/proc/keys').read())
except OSError as error:
    print('keys', errno.errorcode[error.errno])
for family in (1, 2, 10, 16, 17, 40):
    try:
        socket.socket(family, socket.SOCK_RAW if family in (16, 17) else socket.SOCK_STREAM).close()
        print('family', family, 'done')
    except OSError as error:
        print('family', family, errno.errorcode[error.errno])
socket.socketpair()
print('pair done')
`;

const CONNECT = `
import socket
try:
    one = socket.socket(socket.AF_UNIX)
    one.connect('other.sock')
    print('connected')
except OSError as error:
    print('refused')
`;

/** A datagram socket of a pair, unlike a stream socket, can be connected to a named socket. */
const SEND = `
import socket
one, two = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
print('streams')
for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
    try:
        one, two = socket.socketpair(socket.AF_UNIX, kind)
        one.sendto(b'x', 'datagrams.sock')
        print('sent')
    except OSError as error:
        print('refused')
`;

/** Connects to the socket that its argument names. */
const REACH = `
import socket, sys
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[1])
    print('reached')
except OSError as error:
    print(type(error).__name__)
`;

/** Opens a datagram socket, and prints that it did. */
const RECEIVE = `
import socket
one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
one.bind('datagrams.sock')
print('open', flush=True)
input()
`;

async function listenAt(path: string): Promise<Server> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return server;
}

describe.skipIf(!able)('a command in the sandbox (needs bubblewrap, x86-64 and python3)', () => {
  let base: ReturnType<typeof temporaryDirectory>;
  let other: Server;
  const output = async (command: string, ...flags: string[]) => {
    const server = await InProcessClient.start([
      '--dialect',
      'replay',
      '--sandbox',
      'require',
      ...flags,
      base.path,
    ]);
    try {
      return await server.text('execute_command', { command, timeout: 60 });
    } finally {
      await server.end();
    }
  };

  beforeAll(async () => {
    base = temporaryDirectory();
    layOut(base.path, { 'calls.py': CALLS, 'connect.py': CONNECT, 'send.py': SEND, 'reach.py': REACH });
    other = await listenAt(join(base.path, 'other.sock'));
  });

  afterAll(() => {
    other.close();
    base.remove();
  });

  it('is refused system calls that it does not need, and keeps those that it does', async () => {
    const refused = ['keyctl', 'add_key', 'request_key', 'ptrace', 'bpf', 'userfaultfd', 'perf_event_open'];
    const more = [
      'io_uring_setup',
      'mount',
      'process_vm_readv',
      'open_tree_attr',
      'open_by_handle_at',
      'unshare-user',
      'clone-user',
    ];
    expect((await output('python3 calls.py')).split('\n')).toEqual([
      ...[...refused, ...more].map((name) => `${name} EPERM`),
      'unshare-files done',
      'x32-getpid ENOSYS',
      'getpid done',
      'shmget EINVAL',
      'keys EACCES',
      ...[1, 2, 10, 16].map((family) => `family ${family} done`),
      ...[17, 40].map((family) => `family ${family} EAFNOSUPPORT`),
      'pair done',
      '[exit code: 0]',
    ]);
  });

  it('cannot reach sockets of other programs in a read-only directory', async () => {
    expect(await output('python3 connect.py', '--read-only')).toBe('refused\n[exit code: 0]');
  });

  it('reaches sockets and FIFOs in a writable directory, but not in a read-only one beside it', async () => {
    const readOnly = temporaryDirectory();
    const servers = await Promise.all([
      listenAt(join(base.path, 'own.sock')),
      listenAt(join(readOnly.path, 'theirs.sock')),
    ]);
    layOut(readOnly.path, { 'deep/down/x': '' });
    const pipe = join(readOnly.path, 'deep/down/pipe');
    execFileSync('mkfifo', [pipe]);
    try {
      const connect = (path: string) => `python3 reach.py ${path}`;
      const line = [
        connect('own.sock'),
        connect(join(readOnly.path, 'theirs.sock')),
        `echo x 1<> ${pipe}`,
      ].join('; ');
      const answer = await output(line, `${readOnly.path}:ro`);
      expect(answer).toMatch(/^reached\nConnectionRefusedError\n\[exit code: [12]\]/);
      expect(answer).toContain('Permission denied');
    } finally {
      for (const server of servers) server.close();
      readOnly.remove();
    }
  });

  it('cannot reach them through its own socket pair either', async () => {
    const receiver = spawn('python3', ['-c', RECEIVE], { cwd: base.path, stdio: ['pipe', 'pipe', 'ignore'] });
    try {
      await once(receiver.stdout, 'data');
      expect(await output('python3 send.py')).toBe('streams\nsent\nsent\n[exit code: 0]');
      expect(await output('python3 send.py', '--read-only')).toBe(
        'streams\nrefused\nrefused\n[exit code: 0]',
      );
    } finally {
      receiver.stdin.end();
    }
  });
});
