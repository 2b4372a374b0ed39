/** What the list shows before the first call: how to connect a client. */
import type { About } from '../wire.ts';
import { copied } from './elements/clipboard.ts';
import { button, el, part, setText } from './elements/dom.ts';
import { visibleLines } from './elements/visible-text.ts';

export class FirstSteps {
  readonly #box = part('first-steps');

  show({ clients = [] }: About): void {
    this.#box.replaceChildren(
      el('h2', {}, 'Connect a client on this machine'),
      ...clients.map(({ name, text }) => configView(name, text)),
      el(
        'p',
        { class: 'note' },
        el('code', {}, 'cofferdam init CLIENT DIR --write'),
        ' does this for you; without CLIENT it lists the clients that it knows.',
      ),
    );
  }

  set isShown(isShown: boolean) {
    this.#box.hidden = !isShown;
  }
}

function configView(name: string, text: string): HTMLElement {
  const said = el('span', { class: 'note', role: 'status' });
  const copy = async () => setText(said, (await copied(text)) ? 'Copied.' : 'Select and copy it.');
  const head = el(
    'div',
    { class: 'config-head' },
    el('h3', {}, name),
    said,
    button('Copy', () => void copy(), { 'aria-label': `Copy the configuration for ${name}` }),
  );
  return el('section', { class: 'config' }, head, el('pre', { tabindex: 0 }, ...visibleLines(text)));
}
