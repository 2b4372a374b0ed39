/** The tables of iconv-lite as a bundle of its own, which a thread evaluates for the first file that needs them. */
export { decode, encode } from 'iconv-lite';
