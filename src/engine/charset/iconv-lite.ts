/** The tables of iconv-lite as a bundle of its own, which a thread evaluates when it meets the first such file. */
export { decode, encode } from 'iconv-lite';
