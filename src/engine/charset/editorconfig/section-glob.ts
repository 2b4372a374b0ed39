/**
 * The globs in the headings of an .editorconfig: `*`, `**`, `?`, `[ab]`, `[!ab]`, `{a,b}`, `{1..3}` and `\`.
 *
 * Anybody may have written them, so a glob is matched in time that grows with its length times that of the path: each
 * pair of a place in the one and a place in the other is tried once.
 */

type Node =
  | { kind: 'text'; text: string }
  | { kind: 'one' }
  | { kind: 'some' }
  | { kind: 'all' }
  | { kind: 'class'; negated: boolean; members: readonly (readonly [number, number])[] }
  | { kind: 'range'; least: number; most: number }
  | { kind: 'either'; options: readonly (readonly Node[])[] };

/** Longer headings match nothing, as in other programs. */
const LONGEST = 1024;
const DEEPEST = 16;
const NUMBERS = /^([+-]?\d{1,15})\.\.([+-]?\d{1,15})$/;
const SLASH = 47;

export class SectionGlob {
  readonly #first: State | undefined;

  constructor(heading: string) {
    if (heading === '' || heading.length > LONGEST) return;
    // Without a slash it is about names at any depth.
    const isAnywhere = !/\//.test(heading);
    const bare = heading.startsWith('/') ? heading.slice(1) : heading;
    const nodes = new Parser(bare).sequence(0);
    const below: Node = { kind: 'either', options: [[], [{ kind: 'all' }, { kind: 'text', text: '/' }]] };
    const states = new States();
    this.#first = states.of(isAnywhere ? [below, ...nodes] : nodes, states.end());
  }

  /** `path` is relative to the directory of the file. */
  matches(path: string): boolean {
    return this.#first !== undefined && new Matching(path).fits(this.#first, 0);
  }
}

class Parser {
  readonly #glob: string;
  #at = 0;

  constructor(glob: string) {
    this.#glob = glob;
  }

  /** Up to the end, or to a `,` or `}` of the braces that it is in. */
  sequence(depth: number): Node[] {
    const nodes: Node[] = [];
    while (this.#at < this.#glob.length) {
      const character = this.#glob[this.#at]!;
      if (depth > 0 && (character === ',' || character === '}')) break;
      nodes.push(this.#node(character, depth));
    }
    return nodes;
  }

  #node(character: string, depth: number): Node {
    const glob = this.#glob;
    this.#at++;
    if (character === '\\' && this.#at < glob.length) return { kind: 'text', text: glob[this.#at++]! };
    if (character === '?') return { kind: 'one' };
    if (character === '*') {
      if (glob[this.#at] !== '*') return { kind: 'some' };
      while (glob[this.#at] === '*') this.#at++;
      return { kind: 'all' };
    }
    if (character === '[') return this.#class();
    if (character === '{') return this.#braces(depth + 1);
    return { kind: 'text', text: character };
  }

  /** A bracket that is not closed before the next slash stands for itself. */
  #class(): Node {
    const end = this.#glob.indexOf(']', this.#at + 1);
    const inner = end < 0 ? '' : this.#glob.slice(this.#at, end);
    if (end < 0 || inner.includes('/')) return { kind: 'text', text: '[' };
    this.#at = end + 1;
    const negated = inner.startsWith('!') || inner.startsWith('^');
    const members: [number, number][] = [];
    const listed = negated ? inner.slice(1) : inner;
    for (let at = 0; at < listed.length; at++) {
      if (listed[at] === '\\' && at + 1 < listed.length) at++;
      const first = listed.charCodeAt(at);
      const isRange = listed[at + 1] === '-' && at + 2 < listed.length;
      members.push([first, isRange ? listed.charCodeAt(at + 2) : first]);
      if (isRange) at += 2;
    }
    return { kind: 'class', negated, members };
  }

  /** Braces without a comma, or that are not closed, stand for themselves. */
  #braces(depth: number): Node {
    const start = this.#at;
    const end = this.#glob.indexOf('}', start);
    const numbers = NUMBERS.exec(end < 0 ? '' : this.#glob.slice(start, end));
    if (numbers) {
      this.#at = end + 1;
      const bounds = [Number(numbers[1]), Number(numbers[2])];
      return { kind: 'range', least: Math.min(...bounds), most: Math.max(...bounds) };
    }
    const options: Node[][] = [];
    while (depth <= DEEPEST && this.#at < this.#glob.length) {
      options.push(this.sequence(depth));
      const ended = this.#glob[this.#at++];
      if (ended === '}' && options.length > 1) return { kind: 'either', options };
      if (ended !== ',') break;
    }
    this.#at = start;
    return { kind: 'text', text: '{' };
  }
}

/** A node with what comes behind it. */
interface State {
  /** Counts the states of a glob. */
  id: number;
  node: Node | 'end';
  next: State | undefined;
  options: readonly State[];
}

class States {
  #count = 0;

  /** The states of a sequence, up to `next`. */
  of(nodes: readonly Node[], next: State): State {
    return nodes.reduceRight((behind, node): State => {
      const options = node.kind === 'either' ? node.options.map((option) => this.of(option, behind)) : [];
      return { id: this.#count++, node, next: behind, options };
    }, next);
  }

  end(): State {
    return { id: this.#count++, node: 'end', next: undefined, options: [] };
  }
}

class Matching {
  readonly #path: string;
  /** Which states were tried at which places of the path. */
  readonly #tried = new Set<number>();

  constructor(path: string) {
    this.#path = path;
  }

  fits(state: State, at: number): boolean {
    const pair = state.id * (this.#path.length + 1) + at;
    if (this.#tried.has(pair)) return false;
    this.#tried.add(pair);
    const { node } = state;
    if (node === 'end') return at === this.#path.length;
    const next = state.next!;
    switch (node.kind) {
      case 'either':
        return state.options.some((option) => this.fits(option, at));
      case 'range':
        return this.#numbers(node, next, at);
      case 'some':
      case 'all':
        return this.#run(node.kind === 'all', next, at);
      case 'text':
        return this.#path[at] === node.text && this.fits(next, at + 1);
      default:
        return at < this.#path.length && isOne(node, this.#path.charCodeAt(at)) && this.fits(next, at + 1);
    }
  }

  #run(mayCross: boolean, next: State, at: number): boolean {
    for (let end = at; ; end++) {
      if (this.fits(next, end)) return true;
      if (end === this.#path.length || (!mayCross && this.#path.charCodeAt(end) === SLASH)) return false;
    }
  }

  #numbers({ least, most }: Node & { kind: 'range' }, next: State, at: number): boolean {
    const written = /^[+-]?\d{1,16}/.exec(this.#path.slice(at, at + 17))?.[0] ?? '';
    for (let length = written.length; length > 0; length--) {
      const value = Number(written.slice(0, length));
      if (value >= least && value <= most && this.fits(next, at + length)) return true;
    }
    return false;
  }
}

function isOne(node: Node & { kind: 'one' | 'class' }, unit: number): boolean {
  if (unit === SLASH) return false;
  if (node.kind === 'one') return true;
  return node.members.some(([first, last]) => unit >= first && unit <= last) !== node.negated;
}
