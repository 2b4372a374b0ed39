/** Shows text from outside: invisible characters appear as marked escapes, so no name looks like another. */
import { plainPieces } from '../../../display/plain-text.ts';

/** Text with nothing to mark and nothing that runs from right to left. */
const PLAIN_ASCII = /^[ -~]*$/;

/** Shows one line: a name, a word, a sentence. */
export function visible(text: string): Node[] {
  if (PLAIN_ASCII.test(text)) return [new Text(text)];
  return plainPieces(text).map((piece, at) => (at % 2 === 1 ? mark(piece) : new Text(piece)));
}

/** Shows several lines: line breaks and tabs stay unchanged. */
export function visibleLines(text: string): Node[] {
  return text.split(/(\r?\n|\t)/).flatMap((piece, at) => (at % 2 === 1 ? new Text(piece) : visible(piece)));
}

/** Shows a path name by name: right-to-left names do not mix with others, and spaces at their ends are visible. */
export function visiblePath(path: string): Node[] {
  const hasEdges = /(?:^|\/) | (?:\/|$)/.test(path);
  if (!hasEdges && PLAIN_ASCII.test(path)) return [new Text(path)];
  return path.split(/(\/)/).map((name, at) => (at % 2 === 1 ? new Text(name) : visibleName(name)));
}

function visibleName(name: string): Node {
  let [from, to] = [0, name.length];
  while (name[from] === ' ') from++;
  while (to > from && name[to - 1] === ' ') to--;
  return span('one-name', ...spaces(from), ...visible(name.slice(from, to)), ...spaces(name.length - to));
}

function spaces(count: number): Node[] {
  return count === 0 ? [] : [mark('\\x20'.repeat(count))];
}

function mark(writtenOut: string): Node {
  return span('unseen', new Text(writtenOut));
}

function span(name: string, ...children: Node[]): Node {
  const element = document.createElement('span');
  element.className = name;
  element.append(...children);
  return element;
}
