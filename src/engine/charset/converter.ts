/**
 * Loads iconv-lite late: its tables take milliseconds to read, and few servers meet a file that needs them.
 *
 * The main thread tells each thread where the text of the bundle is. The text was read from the package before any tool
 * could change something there, so what is on the disk later is not run.
 */
import * as stringDecoder from 'node:string_decoder';

export interface Converter {
  decode(bytes: Buffer, charset: string, options: { stripBOM: false }): string;
  encode(text: string, charset: string): Buffer;
}

let source: (() => string) | undefined;
let loaded: Converter | undefined;

/** Says where this thread gets the bundle from. */
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
    // iconv-lite does without streams where there are none.
    throw new Error(`${name} is not for the tables of encodings`);
  };
  new Function('module', 'exports', 'require', text)(module, module.exports, required);
  return module.exports as Converter;
}
