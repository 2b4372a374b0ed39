/** The parsers as a bundle of their own: no server needs them. */
export { createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
export { parse, TomlError } from 'smol-toml';
export { isMap, isScalar, parseDocument } from 'yaml';
