/** The parsers, in a bundle of their own, because no server needs them. */
export { createScanner, getNodeValue, parseTree, printParseErrorCode } from 'jsonc-parser';
export { parse, TomlError } from 'smol-toml';
export { isMap, isScalar, parseDocument } from 'yaml';
