/** A network and a PID namespace for one replica: it reaches other namespaces only through files. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export const NOT_SEPARATED = 'namespaces need root, iproute2 and util-linux';

export class Namespace {
  readonly name = `cofferdam-${randomBytes(4).toString('hex')}`;

  constructor() {
    ip('netns', 'add', this.name);
    ip('-n', this.name, 'link', 'set', 'lo', 'up');
  }

  /** The command, with its arguments, that starts another program inside the namespace. */
  get through(): string[] {
    return ['ip', 'netns', 'exec', this.name, 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
  }

  remove(): void {
    ip('netns', 'del', this.name);
  }
}

function ip(...args: string[]): void {
  const { status, stderr } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr}`);
}

function probe(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const namespace = new Namespace();
    const [command, ...args] = namespace.through;
    const { status } = spawnSync(command!, [...args, 'true']);
    namespace.remove();
    return status === 0;
  } catch {
    return false;
  }
}

/** Whether network and PID namespaces can be created: only root can do that. */
export const canSeparate = probe();
