/** The memory map of the kernel. `kernel.ts` and `filter-tables.ts` use the same addresses. */

export const NIBBLES: usize = 0; // six tables of 16 bytes: low and high half of a byte, for three positions
export const BUCKETS: usize = 128; // eight literals: address, length, offset of the three positions
export const PAIRS: usize = 320; // four literals: two bytes, two case masks (each sixteen times), and two offsets
export const FOUND: usize = 256; // what nextLine found: line start, line end, newlines before it, all ASCII?, candidate
export const SCRATCH: usize = 288;
export const ALSO_PAIRS: usize = 640; // up to two further literals that the line must contain, as in PAIRS
export const ALSO_BUCKETS: usize = 800; // the same literals, as in BUCKETS
// For each byte value, the positions of a window that allow it, as bits. For a run: not 0 if the class allows it.
export const ALLOWED: usize = 1024;
export const SIGNATURE: usize = 8192; // the signature of a text, up to 8192 bytes
export const MARKS: usize = 65536; // one byte for each bit of the signature that is being made
export const TEXT: usize = 131072; // the start of the text to scan
