/** `--encoding GLOB=NAME` on the command line. */
import { expect, it } from 'vitest';
import { parseEncodings } from '../../../../src/cli/arguments/options/encoding-flags.ts';
import { proves } from '../../../proves.ts';

it('takes a glob and the name of an encoding in any letter case', () => {
  expect(parseEncodings(['*.txt=CP1252', 'a=b/=Shift-JIS'])).toEqual([
    { glob: '*.txt', charset: 'windows-1252' },
    { glob: 'a=b/', charset: 'shift_jis' },
  ]);
});

it('suggests the name that was meant', () => {
  proves('standard.encodings.option.unknown');
  expect(() => parseEncodings(['*.txt=windows-1525'])).toThrow(
    /unknown encoding 'windows-1525'; did you mean windows-125\d\?/,
  );
  expect(() => parseEncodings(['*.txt'])).toThrow('--encoding takes GLOB=NAME');
});
