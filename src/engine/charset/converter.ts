/**
 * Loads iconv-lite late: its tables take milliseconds to read, and few servers meet a file that needs them.
 *
 * The main thread tells each thread where the source of the bundle is. The server read that source from the package
 * before any tool could change something there, so it never runs what is on the disk later.
 */
import * as stringDecoder from 'node:string_decoder';

export interface Converter {
  decode(bytes: Buffer, charset: string, options: { stripBOM: false }): string;
  encode(text: string, charset: string): Buffer;
}

let source: (() => string) | undefined;
let loaded: Converter | undefined;

/** Sets where this thread gets the source of the bundle. */
export function provideConverter(read: () => string): void {
  source = read;
}

export function converter(): Converter {
  loaded ??= evaluated(source?.() ?? '');
  return loaded;
}

function evaluated(text: string): Converter {
  const module = { exports: {} };
  const required = (name: string): unknown => {
    if (name === 'buffer') return { Buffer };
    if (name === 'string_decoder') return stringDecoder;
    // iconv-lite works without streams if they are missing.
    throw new Error(`${name} is not for the tables of encodings`);
  };
  new Function('module', 'exports', 'require', text)(module, module.exports, required);
  return module.exports as Converter;
}
