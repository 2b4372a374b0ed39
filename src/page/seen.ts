/** Text from outside as nodes: what cannot be seen in it is written out and marked, and no name passes for another. */
import { plainPieces } from '../display/plain-text.ts';

/** Nothing to mark, nothing that runs from right to left. */
const USUAL = /^[ -~]*$/;

/** A line: a name, a word, a sentence. */
export function seen(text: string): Node[] {
  if (USUAL.test(text)) return [new Text(text)];
  return plainPieces(text).map((piece, at) => (at % 2 === 1 ? mark(piece) : new Text(piece)));
}

/** Text of several lines: their ends and tabs stay what they are. */
export function seenLines(text: string): Node[] {
  return text.split(/(\r?\n|\t)/).flatMap((piece, at) => (at % 2 === 1 ? new Text(piece) : seen(piece)));
}

/** A path name by name: none reaches into its neighbour, whichever way it is written, and all show where they end. */
export function seenPath(path: string): Node[] {
  const hasEdges = /(?:^|\/) | (?:\/|$)/.test(path);
  if (!hasEdges && USUAL.test(path)) return [new Text(path)];
  return path.split(/(\/)/).map((name, at) => (at % 2 === 1 ? new Text(name) : seenName(name)));
}

function seenName(name: string): Node {
  let [from, to] = [0, name.length];
  while (name[from] === ' ') from++;
  while (to > from && name[to - 1] === ' ') to--;
  return span('one-name', ...spaces(from), ...seen(name.slice(from, to)), ...spaces(name.length - to));
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
