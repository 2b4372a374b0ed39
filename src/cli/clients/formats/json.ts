/** JSON with comments and trailing commas. */
import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { ServerEntry, Value } from '../client.ts';
import {
  applied,
  ConfigProblem,
  type Format,
  indentAt,
  lineEndOf,
  nested,
  type TextChange,
} from './format.ts';

/** The scanner's numbers for these tokens. */
const COMMA = 5;
const LINE_BREAK = 14;
const WHITE_SPACE = 15;
const END = 17;

export const json: Format = {
  read: (text) => {
    const root = parsed(text);
    return root && getNodeValue(root);
  },
  add,
  remove,
};

function parsed(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first)
    throw ConfigProblem.at(text, first.offset, `it is not JSON (${words(printParseErrorCode(first.error))})`);
  return root;
}

/** A code such as `CommaExpected` as words. */
function words(code: string): string {
  return code.replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

function add(text: string, keys: readonly string[], name: string, entry: ServerEntry): string {
  const root = parsed(text);
  if (!root) return `${text}${JSON.stringify(nested([...keys, name], entry), null, 2)}\n`;
  const path = [...keys, name];
  let table = tableAt(text, root, 'the file');
  for (let depth = 0; ; depth++) {
    const found = propertyOf(text, table, path[depth]!);
    if (!found) return withProperty(text, root, table, path[depth]!, nested(path.slice(depth + 1), entry));
    table = tableAt(text, found.children![1]!, path[depth]!);
  }
}

function tableAt(text: string, node: Node, what: string): Node {
  if (node.type === 'object') return node;
  throw ConfigProblem.at(text, node.offset, `${what} is not an object`);
}

/** The property of that name. If there are two, it fails: clients differ in which of them they use. */
function propertyOf(text: string, table: Node, name: string): Node | undefined {
  const [first, second] = (table.children ?? []).filter(({ children }) => children![0]!.value === name);
  if (second) throw ConfigProblem.at(text, second.offset, `${name} appears twice`);
  return first;
}

function withProperty(text: string, root: Node, table: Node, name: string, value: Value): string {
  const children = table.children ?? [];
  const last = children.at(-1);
  const behind = last ? endOf(last) : table.offset + 1;
  const close = endOf(table) - 1;
  const { comma, end } = between(text, behind, close);
  const changes: TextChange[] = [];
  if (last && comma === undefined) changes.push({ from: behind, to: behind, text: ',' });
  const trailing = last && comma !== undefined ? ',' : '';
  if (!spreadsLines(text, root, table)) {
    const property = `${JSON.stringify(name)}: ${JSON.stringify(value)}${trailing}`;
    const space = last && /\s/.test(text[table.offset + 1]!) ? ' ' : '';
    changes.push({ from: end, to: end, text: `${last ? space || ' ' : ''}${property}` });
    return applied(text, changes);
  }
  const lineEnd = lineEndOf(text);
  const unit = unitOf(text, root);
  const outer = indentAt(text, table.offset);
  const [first] = children;
  const indent = first && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : outer + unit;
  const lines = JSON.stringify({ [name]: value }, null, unit)
    .split('\n')
    .slice(1, -1);
  const property = lines.map((line) => indent + line.slice(unit.length)).join(lineEnd) + trailing;
  const closing = text.slice(end, close).includes('\n') ? '' : lineEnd + outer;
  changes.push({ from: end, to: end, text: `${lineEnd}${property}${closing}` });
  return applied(text, changes);
}

/** Whether a new property gets lines of its own. */
function spreadsLines(text: string, root: Node, table: Node): boolean {
  const [first] = table.children ?? [];
  if (first) return text.slice(table.offset, first.offset).includes('\n');
  return (root.children ?? []).length === 0 || text.slice(root.offset, endOf(root)).includes('\n');
}

function isFirstOnLine(text: string, offset: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(0, offset));
}

function unitOf(text: string, root: Node): string {
  const first = root.children?.find(({ offset }) => isFirstOnLine(text, offset));
  const indent = first ? indentAt(text, first.offset).slice(indentAt(text, root.offset).length) : '';
  return indent === '' ? '  ' : indent;
}

/** The comma between two offsets, and the end of the last thing there that is not white space. */
function between(text: string, from: number, to: number): { comma: number | undefined; end: number } {
  const scanner = createScanner(text, false);
  scanner.setPosition(from);
  let comma: number | undefined;
  let end = from;
  for (;;) {
    const token = scanner.scan() as number;
    if (token === END || scanner.getTokenOffset() >= to) return { comma, end };
    if (token === LINE_BREAK || token === WHITE_SPACE) continue;
    if (token === COMMA) comma = scanner.getTokenOffset();
    end = scanner.getTokenOffset() + scanner.getTokenLength();
  }
}

function remove(text: string, keys: readonly string[], name: string): string[] {
  let table = parsed(text);
  const steps: { table: Node; property: Node }[] = [];
  for (const key of [...keys, name]) {
    const property = propertyOf(text, table!, key)!;
    steps.push({ table: table!, property });
    table = property.children![1]!;
  }
  // The tables around the entry may have been added with it, and so may the file.
  const isAlone = (from: number) => steps.slice(from).every((step) => step.table.children!.length === 1);
  const proposals = steps
    .filter((_, depth) => isAlone(depth + 1))
    .flatMap((step) => withoutProperty(text, step.table, step.property));
  return isAlone(0) ? ['', ...proposals] : proposals;
}

/** The texts that may have been there before a property, the simplest last. */
function withoutProperty(text: string, table: Node, property: Node): string[] {
  const children = table.children!;
  const at = children.indexOf(property);
  const before = children[at - 1];
  const next = children[at + 1];
  const close = endOf(table) - 1;
  const { comma } = between(text, endOf(property), next ? next.offset : close);
  const from = between(text, before ? endOf(before) : table.offset + 1, property.offset);
  const changes: TextChange[] = [{ from: from.end, to: endOf(property), text: '' }];
  if (comma !== undefined) changes.push({ from: comma, to: comma + 1, text: '' });
  else if (from.comma !== undefined) changes.push({ from: from.comma, to: from.comma + 1, text: '' });
  const isEmpty = children.length === 1 && text.slice(endOf(property), close).trim() === '';
  if (!isEmpty || from.end !== table.offset + 1) return [applied(text, changes)];
  // Most people write `{}` for an empty table, but there may have been white space in it.
  const spaced = endOf(property) + lineEndOf(text).length + indentAt(text, table.offset).length;
  return [close, Math.min(spaced, close)].map((to) => applied(text, [{ ...changes[0]!, to }])).reverse();
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
