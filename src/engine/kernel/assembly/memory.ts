/** Where everything lies in the kernel's memory; `kernel.ts` writes and reads the same places. */

export const NIBBLES: usize = 0; // six tables of 16 bytes: low and high half of a byte, for three positions
export const BUCKETS: usize = 128; // eight literals: address, length, offset of the three positions
export const PAIRS: usize = 320; // four literals: two bytes, two case masks (each sixteen times), and two offsets
export const FOUND: usize = 256; // what nextLine found: line start, line end, newlines before it, all ASCII?, candidate
export const SCRATCH: usize = 288;
export const ALSO_PAIRS: usize = 640; // up to two further literals that the line must hold, like PAIRS
export const ALSO_BUCKETS: usize = 800; // and like BUCKETS
export const ALLOWED: usize = 1024; // for each byte value the positions of a class window that allow it, as bits; or not 0
export const SIGNATURE: usize = 8192; // the signature of a text, up to 8192 bytes
export const MARKS: usize = 65536; // one byte for each bit of a signature while it is made
export const TEXT: usize = 131072; // the text to scan, from here on
