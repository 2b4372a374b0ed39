/**
 * Finds the bytes that a match, and what the pattern examines around it, can consist of.
 *
 * Whether a pattern matches at a place depends only on the window of text around it that contains nothing but these
 * bytes, and on the characters next to that window. A search need not decode more of a very long line.
 */
import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { type CharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern } from './parse-pattern.ts';

const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** 1 at the index of each such byte value; undefined if they are nearly all bytes. */
export function bytesExamined({ root, flags }: ParsedPattern): Uint8Array | undefined {
  const bytes = new Uint8Array(256);
  let isKnown = true;
  const add = (node: CharacterNode) => {
    const one = isKnown ? oneCharacter(node, flags) : undefined;
    if (!one) {
      isKnown = false;
      return;
    }
    one.ascii.forEach((is, code) => {
      if (is) bytes[code] = 1;
    });
    if (!one.onlyAscii) bytes.fill(1, 128);
  };
  visitRegExpAST(root, {
    onCharacterEnter: (node) => unlessInClass(node, add),
    onCharacterSetEnter: (node) => unlessInClass(node, add),
    onCharacterClassEnter: (node) => unlessInClass(node, add),
    onExpressionCharacterClassEnter: (node) => unlessInClass(node, add),
  });
  return isKnown && leavesPrintablesOut(bytes) ? bytes : undefined;
}

/** A class is one character: its members are not characters of their own. */
function unlessInClass<T extends CharacterNode>(node: T, add: (node: T) => void): void {
  if (!IN_CLASS.has(node.parent?.type)) add(node);
}
const IN_CLASS: ReadonlySet<AST.Node['type'] | undefined> = new Set([
  'CharacterClass',
  'CharacterClassRange',
  'ExpressionCharacterClass',
  'ClassIntersection',
  'ClassSubtraction',
  'StringAlternative',
]);

function leavesPrintablesOut(bytes: Uint8Array): boolean {
  return bytes.subarray(FIRST_PRINTABLE, LAST_PRINTABLE + 1).includes(0);
}
