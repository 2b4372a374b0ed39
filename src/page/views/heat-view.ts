/** The tree of served files, with two bars for each: the number of reads and of writes. */
import { compact, plural } from '../data/format.ts';
import { childrenOf, type HeatNode, type HeatTree, heat } from '../data/heat-tree.ts';
import { belowPath, rootName } from '../data/paths.ts';
import { button, el } from './elements/dom.ts';
import { visiblePath } from './elements/visible-text.ts';

const MOST_CHILDREN = 200;

interface Item {
  node: HeatNode;
  element: HTMLElement;
  level: number;
}

export class HeatView {
  readonly #box: HTMLElement;
  readonly #tree: HeatTree;
  readonly #onPick: (path: string) => void;
  readonly #expanded = new Set<string>();
  readonly #unlimited = new Set<string>();
  /** Roots that the view has already opened once, so that a root stays closed when the user closes it. */
  readonly #known = new Set<string>();
  #items: Item[] = [];
  #focused = '';
  /** While the user presses an item, the tree does not change; it is drawn afterwards. */
  #isPressed = false;
  #isDue = false;

  constructor(box: HTMLElement, tree: HeatTree, onPick: (path: string) => void) {
    this.#box = box;
    this.#tree = tree;
    this.#onPick = onPick;
    box.setAttribute('role', 'tree');
    box.setAttribute('aria-labelledby', 'tree-title');
    box.addEventListener('keydown', (event) => this.#onKey(event));
    box.addEventListener('pointerdown', () => {
      this.#isPressed = true;
    });
    for (const over of ['pointerup', 'pointercancel'])
      document.addEventListener(over, () => setTimeout(() => this.#released()));
  }

  draw(): void {
    this.#isDue = this.#isPressed;
    if (this.#isPressed) return;
    const hadFocus = this.#box.contains(document.activeElement);
    this.#items = [];
    const roots = [...this.#tree.roots.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
    for (const { path } of roots) {
      if (this.#known.has(path)) continue;
      this.#known.add(path);
      if (roots.length <= 3) this.#expanded.add(path);
    }
    const most = Math.max(0, ...roots.map(({ reads }) => reads));
    const mostWrites = Math.max(0, ...roots.map(({ writes }) => writes));
    this.#box.replaceChildren(...roots.map((root) => this.#item(root, 1, [most, mostWrites])));
    if (roots.length === 0) this.#box.append(el('p', { class: 'note' }, 'No files were used yet.'));
    this.#makeFocusable(hadFocus, { preventScroll: true });
  }

  #released(): void {
    this.#isPressed = false;
    if (this.#isDue) this.draw();
  }

  #item(node: HeatNode, level: number, most: [number, number]): HTMLElement {
    const isBranch = node.children.size > 0;
    const isOpen = isBranch && this.#expanded.has(node.path);
    const element = el('div', {
      role: 'treeitem',
      tabindex: -1,
      'aria-level': level,
      'aria-expanded': isBranch ? String(isOpen) : undefined,
      'aria-label': `${this.#nameOf(node, level)}, ${plural(node.reads, 'read')}, ${plural(node.writes, 'write')}`,
    });
    this.#items.push({ node, element, level });
    element.append(this.#row(node, level, most, isOpen));
    if (isOpen) element.append(this.#children(node, level, most));
    return element;
  }

  #row(node: HeatNode, level: number, most: [number, number], isOpen: boolean): HTMLElement {
    const twisty = el('span', { class: 'twisty' }, node.children.size === 0 ? '' : isOpen ? '▾' : '▸');
    const row = el(
      'div',
      { class: 'place', title: node.path },
      twisty,
      el('span', { class: 'name' }, ...visiblePath(this.#nameOf(node, level))),
      bar('reads', node.reads, most[0]),
      bar('writes', node.writes, most[1]),
    );
    row.style.setProperty('--level', String(level));
    row.addEventListener('click', (event) => {
      this.#focused = node.path;
      if (event.target === twisty && node.children.size > 0) this.#toggle(node);
      else this.#pick(node);
    });
    return row;
  }

  #children(node: HeatNode, level: number, most: [number, number]): HTMLElement {
    const group = el('div', { role: 'group' });
    const all = childrenOf(node);
    const limit = this.#unlimited.has(node.path) ? all.length : MOST_CHILDREN;
    for (const child of all.slice(0, limit)) group.append(this.#item(child, level + 1, most));
    if (all.length > limit) {
      const show = () => {
        this.#unlimited.add(node.path);
        this.draw();
      };
      group.append(button(`${all.length - limit} more`, show, { class: 'quiet' }));
    }
    return group;
  }

  /** The name of a directory ends with `/`. */
  #pick(node: HeatNode): void {
    this.#onPick(node.children.size > 0 ? belowPath(node.path) : node.path);
    this.#makeFocusable(true);
  }

  #toggle({ path }: HeatNode): void {
    if (!this.#expanded.delete(path)) this.#expanded.add(path);
    this.#isPressed = false;
    this.draw();
    this.#makeFocusable(true);
  }

  /** One item of the tree is in the tab order; the arrow keys reach the others. */
  #makeFocusable(andFocus: boolean, options: FocusOptions = {}): void {
    const at = this.#items.find(({ node }) => node.path === this.#focused) ?? this.#items[0];
    for (const { element } of this.#items) element.tabIndex = element === at?.element ? 0 : -1;
    if (andFocus) at?.element.focus(options);
  }

  #onKey(event: KeyboardEvent): void {
    const at = this.#items.findIndex(({ element }) => element === document.activeElement);
    const item = this.#items[at];
    if (!item || event.altKey || event.ctrlKey || event.metaKey) return;
    const isOpen = item.element.getAttribute('aria-expanded') === 'true';
    switch (event.key) {
      case 'ArrowDown':
        this.#go(at + 1);
        break;
      case 'ArrowUp':
        this.#go(at - 1);
        break;
      case 'Home':
        this.#go(0);
        break;
      case 'End':
        this.#go(this.#items.length - 1);
        break;
      case 'ArrowRight':
        if (isOpen) this.#go(at + 1);
        else if (item.node.children.size > 0) this.#open(item);
        break;
      case 'ArrowLeft':
        if (isOpen) this.#open(item);
        else this.#go(this.#items.findLastIndex(({ level }, index) => index < at && level < item.level));
        break;
      case 'Enter':
      case ' ':
        this.#focused = item.node.path;
        this.#pick(item.node);
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  #nameOf({ name, path }: HeatNode, level: number): string {
    return level === 1 ? rootName([...this.#tree.roots.keys()], path) : name;
  }

  #open({ node }: Item): void {
    this.#focused = node.path;
    this.#toggle(node);
  }

  #go(at: number): void {
    const item = this.#items[at];
    if (!item) return;
    this.#focused = item.node.path;
    this.#makeFocusable(true);
  }
}

function bar(kind: 'reads' | 'writes', value: number, most: number): HTMLElement {
  const fill = el('span', { class: 'fill' });
  fill.style.width = `${Math.round(heat(value, most) * 100)}%`;
  return el(
    'span',
    { class: `heat ${kind}`, title: `${value} ${kind}` },
    fill,
    el('span', { class: 'number' }, value === 0 ? '' : compact(value)),
  );
}
