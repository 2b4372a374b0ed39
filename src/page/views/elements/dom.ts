/** Creates elements from code. A file name can neither become markup nor hide what it is (see visible-text.ts). */
import { plain } from '../../../display/plain-text.ts';
import { visible } from './visible-text.ts';

type Attributes = Record<string, string | number | boolean | undefined>;
export type Child = Node | string | undefined;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  addTo(element, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  addTo(element, children);
  return element;
}

/** The element of index.html with this id. */
export function part<T extends Element = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`#${id} is missing`);
  return element as unknown as T;
}

export function setText(element: Element, text: string): void {
  const isMarked = element.childElementCount > 0;
  if (isMarked || element.textContent !== text) element.replaceChildren(...visible(text));
}

export function button(label: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const element = el('button', { type: 'button', ...attributes }, label);
  element.addEventListener('click', onClick);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    const isRead = name === 'title' || name === 'aria-label';
    element.setAttribute(name, value === true ? '' : isRead ? plain(String(value)) : String(value));
  }
}

function addTo(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (typeof child === 'string') element.append(...visible(child));
    else if (child) element.append(child);
  }
}
