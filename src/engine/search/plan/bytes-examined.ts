/**
 * The bytes that a match is made of, together with all that the pattern looks at around it.
 *
 * Whether a pattern matches at a place depends only on the window of text around it that contains nothing but these
 * bytes, and on the characters next to that window. Of a very long line a search need not decode more.
 */
import { type AST, visitRegExpAST } from '@eslint-community/regexpp';
import { type CharacterNode, oneCharacter } from './characters.ts';
import type { ParsedPattern } from './parse-pattern.ts';

const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/** 1 for each such byte value; undefined when nearly all of them are. */
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

/** A class is one character: its members do not count by themselves. */
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
