/** Parses `--encoding GLOB=NAME`, by which the owner says which encoding files have. */
import { CHARSETS, charsetNamed, type EncodingRule } from '../../../engine/index.ts';
import { UsageError } from '../../usage-error.ts';
import { namesInstead } from '../suggest.ts';

/** The last `=` separates glob and name, since a glob may contain others. */
export function parseEncodings(values: readonly string[]): EncodingRule[] {
  return values.map((value) => {
    const equals = value.lastIndexOf('=');
    const [glob, name] = [value.slice(0, Math.max(0, equals)), value.slice(equals + 1)];
    if (glob === '' || name === '')
      throw new UsageError(`--encoding takes GLOB=NAME, for example '*.txt=windows-1252', not '${value}'`);
    const charset = charsetNamed(name);
    if (charset === undefined)
      throw new UsageError(
        `--encoding: unknown encoding '${name}'${namesInstead(name, 'encodings', CHARSETS)}`,
      );
    return { glob, charset };
  });
}
