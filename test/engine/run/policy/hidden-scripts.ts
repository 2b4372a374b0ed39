/** Makes random scripts that hide a forbidden act in places that versions of awk and sed may read differently. */

export type Roll = (sides: number) => number;

/** Random numbers that are the same each time. */
export function dice(seed: number): Roll {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

/** What shows that a script has acted: a file of this name, or this text in its output. */
const marker = (id: number): string => `PWN${id}`;

const pickFrom = (roll: Roll, list: readonly string[]): string => list[roll(list.length)]!;
const several = (roll: Roll, most: number, make: () => string): string =>
  Array.from({ length: roll(most + 1) }, make).join('');

const AWK_BITS = [
  ...['/', '/', '/', '/', '"', '"', '[', '[', ']', ']', '\\', '#', '=', '^', ';', ' ', '\n', ',', '~', '!'],
  ...['[:', ':]', '[=', '=]', '[.', '.]', '[^', '[]', '[^]', '\\/', '\\"', '\\]', '\\[', '\\\n', '[[', ']]'],
  ...[
    '[:alpha:]',
    '[[:alpha:]',
    '(',
    ')',
    '{',
    '}',
    '>',
    '<',
    '&&',
    '||',
    '?',
    ':',
    '$',
    '++',
    '--',
    '-',
    '/=',
  ],
  ...[
    'x',
    '1',
    'a[1]',
    '$1',
    '"s"',
    '/r/',
    'x=',
    '1e',
    '0x',
    '.',
    'if(1)',
    'while(i++<1)',
    'length',
    'length()',
  ],
  ...['int', 'getline', 'getline x', 'print', 'printf "x"', 'case', 'switch(1)', 'else', 'do', 'in', 'f(1)'],
  ...[
    'return',
    'next',
    'exit',
    'rand()',
    '/[/]/',
    '/[^/]/',
    '/[]/]/',
    '"\\\\"',
    '\r',
    '\r\n',
    '@',
    '\\ ',
    '\t',
  ],
  ...[
    '\f',
    '\v',
    'é',
    '%',
    '*',
    '**',
    '+',
    'sub(/x/,"y")',
    ';;',
    'x;',
    '{}',
    '\\\\',
    "'",
    '|',
    '>>',
    '`',
    '&',
  ],
];

const awkActs = (id: number): string[] => {
  const name = marker(id);
  return [
    `system("touch ${name}")`,
    `;system("touch ${name}");`,
    `;system("touch ${name}")#`,
    `1system("touch ${name}")`,
    `print "x" > "${name}"`,
    `print "x" >> "${name}"`,
    `> "${name}"`,
    `print "touch ${name}" | "sh"`,
    `| "touch ${name}"`,
    `"touch ${name}" | getline`,
    `getline < "IN";print "${name}" $0`,
    `if((getline l<"IN")>0)print "${name}" l`,
    `while((getline l < "IN")>0)print l "${name}"`,
    `f="system";@f("touch ${name}")`,
  ];
};

/** A forbidden act with odds and ends before and after it. */
function awkAmongBits(roll: Roll, id: number): string {
  const bit = () => pickFrom(roll, AWK_BITS);
  const act = pickFrom(roll, awkActs(id));
  const body = several(roll, 6, bit) + act + several(roll, 5, bit);
  const [head, tail] = [
    ['BEGIN{', '}'],
    ['BEGIN{', '\n}'],
    ['function f(y){return y}BEGIN{x=1;', '\n}'],
    ['BEGIN{a=1;a', '}'],
    ['BEGIN{x=', '}'],
    ['BEGIN{', `}#${several(roll, 2, bit)}}`],
    ['BEGIN{', `;}${several(roll, 3, bit)}`],
    ['{', '}'],
  ][roll(8)]!;
  return head + body + tail;
}

/** Statements as people write them, one of which acts, on lines whose meaning a stray slash or quote may change. */
function awkStatements(roll: Roll, id: number): string {
  const pick = (...list: string[]) => pickFrom(roll, list);
  const operand = () =>
    pick(
      'x',
      '1',
      '$1',
      'x++',
      '--x',
      'a[1]',
      '(x)',
      'length',
      'length()',
      'f(1)',
      '"/"',
      '"\\""',
      '"[/"',
      'NF',
    );
  const regex = () => {
    const inside = () =>
      pick(
        'a',
        '"',
        '[/]',
        '\\/',
        '[]/]',
        '=',
        '="',
        '#',
        '[^"/]',
        'a[',
        ']',
        '[[:alpha:]/]',
        '[[=x/',
        '[\\]/]',
        '.',
      );
    return `/${inside()}${several(roll, 2, inside)}/`;
  };
  const expression = (): string =>
    [
      operand,
      regex,
      () => `${operand()} / ${operand()}`,
      () => `${operand()} ${regex()}`,
      () => `${operand()} /= ${operand()}`,
      () => `${operand()}${regex()}${regex()}`,
      () => `${operand()} ${pick('>', '>=', '<', '~', '!~', '&&', '||', 'in', '==', '?')} ${operand()}`,
      () => `(${operand()} > ${operand()})`,
    ][roll(8)]!();
  const act = () => pickFrom(roll, awkActs(id));
  const statement = (): string =>
    [
      () => `x = ${expression()}`,
      () => `if (${expression()}) ${expression()}`,
      () => `while (i++ < 1) ${regex()}`,
      () => `print ${expression()}`,
      () => `print 1 ?\n 2 : ${expression()}`,
      () => `print a,\n\n ${expression()}`,
      () => `print (${expression()})${pick('', '(1)', '\n', ' > ', ' x')}`,
      () => `x = ${expression()} # ${pick('"', '/', '[/', '\\')}\n`,
      () => `getline ${pick('', 'x', '\n', '/')}`,
      () => `do ${regex()}; while (x / 2)`,
      act,
      act,
      () => `${expression()} ${act()} ${pick('#/', '#"', '/', '"', '"/', '/"', ']/', '')}`,
    ][roll(13)]!();
  const body = Array.from({ length: 1 + roll(5) }, statement).join(pick('; ', '\n', ';', ' '));
  return `function f(y) { return y }\n${pick('BEGIN ', '', '/x/ ')}{ ${body}${pick('\n', '', ';')}} ${pick('', '#"/', '# /', '/x/')}`;
}

const BEFORE_SLASH = [
  ...[
    '',
    'x',
    'x=',
    'x=1',
    'a',
    '1',
    '"s"',
    '$1',
    'a[1]',
    '(x)',
    'x++',
    'x--',
    '/r/',
    'length',
    'length()',
    'int',
  ],
  ...[
    'getline',
    'getline x',
    'print',
    'print x',
    'print 1,',
    'case',
    'default',
    'if(1)',
    'if(1){}else',
    'f(1)',
  ],
  ...[
    'while(i++<1)',
    'for(;i++<1;)',
    'do x;while(0)',
    'x\n',
    'x;',
    '{}',
    '!',
    '-',
    'x~',
    'x?1:',
    '1 2',
    'exit',
    'rand',
  ],
  ...['x=(1\n', 'a[1\n', 'print(1)', 'switch(1)', 'x in', 'return', 'x=x', '1 /1', 'x=y="a" "b"'],
];
const IN_BRACKETS = [
  ...[
    '[',
    '[',
    ']',
    ']',
    '^',
    '\\',
    '\\\\',
    '\\]',
    '\\[',
    '\\/',
    '/',
    '"',
    'x',
    '-',
    '[:',
    ':]',
    '[:alpha:]',
  ],
  ...['[=', '=]', '[=x=]', '[.', '.]', '[.-.]', '[^', '[^]', '[]', '[[', ']]', ':', '=', '.', '#', ';', ' '],
];

/** A slash or bracket that can be read in two ways. One of the two readings hides the act. */
function awkTurn(roll: Roll, id: number): string {
  const pick = (...list: string[]) => pickFrom(roll, list);
  const inside = () => pickFrom(roll, IN_BRACKETS);
  const name = marker(id);
  const opening = pick(
    '/',
    '/=',
    '/"/',
    '/="/',
    '/x/',
    '/#/',
    '/\n',
    '/\n/',
    `/[${several(roll, 4, inside)}/`,
    `/[${several(roll, 4, inside)}/"${several(roll, 2, inside)}`,
    `/${several(roll, 3, inside)}[${several(roll, 3, inside)}/ "${several(roll, 2, inside)}`,
  );
  const act = pick(
    `;system("touch ${name}")`,
    `1;system("touch ${name}")`,
    `1system("touch ${name}")`,
    `x;system("touch ${name}")`,
    `";system("touch ${name}")`,
    `/;system("touch ${name}")`,
    `]/;system("touch ${name}")`,
    `1;print 1>"${name}"`,
    `;if((getline l<"IN")>0)print "${name}" l`,
  );
  const closing = pick('', '#', '#/', '#"', '#"/', '#]/', '#]"/', ';x="', `#${several(roll, 3, inside)}`);
  const end = pick('\n}', '}', '}', '\n)}', '\n]}', `}#${pick('/', '"', ']/')}`);
  const space = pick('', ' ');
  return `${pick('', 'function f(y){return y}')}BEGIN{${pickFrom(roll, BEFORE_SLASH)}${space}${opening}${act}${closing}${end}`;
}

export function awkProgram(roll: Roll, id: number): string {
  return [awkStatements, awkAmongBits, awkTurn, awkTurn][roll(4)]!(roll, id);
}

const SED_BITS = [
  ...[
    '/',
    '/',
    '/',
    's/',
    's/a/b/',
    's,',
    ',',
    's|a|b|',
    'y/a/b/',
    'y/',
    'y,',
    '\\,',
    '\\x',
    '|',
    '!',
    '$',
    '1',
  ],
  ...[
    '[',
    '[',
    ']',
    '[/]',
    '[^/]',
    '[]',
    '[^]',
    '[[:alpha:]',
    '[[:',
    ':]',
    '[=',
    '=]',
    '[.',
    '.]',
    '\\]',
    '[\\',
    '[,]',
  ],
  ...[
    '\\',
    '\\\\',
    '\\/',
    '\\n',
    '\n',
    '\n',
    '\\\n',
    ';',
    ';',
    ' ',
    '{',
    '}',
    '#',
    '#n\n',
    '\t',
    '\r',
    '\f',
    'é',
  ],
  ...[
    'a',
    'i',
    'c',
    'a\\',
    'i\\',
    'c\\',
    'a\\\n',
    'i\\\n',
    'a x',
    'a\\ ',
    'p',
    'd',
    '=',
    'n',
    'N',
    'D',
    'g',
    'h',
    'x',
  ],
  ...[
    ':a',
    ':a ',
    'ba',
    'b',
    't',
    'T',
    ':',
    'b;',
    'b\\\n#',
    't a',
    'q',
    'q5',
    'l',
    'l 3',
    'z',
    'F',
    'v',
    'I',
    'g',
    'p',
    'm',
  ],
  ...['0~2', '2,', '+1', '0,/x/', '$!', '/x/', '/x/I', 's/x/y/g', 's/\\//x/', 's[a[b[', 's]a]b]', 'sx[x]xyx'],
];

const sedActs = (id: number): string[] => {
  const name = marker(id);
  return [
    `w ${name}`,
    `w${name}`,
    `;w ${name}`,
    `\nw ${name}`,
    `}w ${name}`,
    `pw ${name}`,
    `/w ${name}`,
    `/;w ${name}`,
    `s/^/x/w ${name}`,
    `s/^/x/gpw ${name}`,
    `W ${name}`,
    `e touch ${name}`,
    `\ne touch ${name}`,
    `1e touch ${name}`,
    `s/.*/touch ${name}/e`,
    'r IN',
    ';rIN',
    'R IN',
    '\n$r IN',
  ];
};

/** A forbidden act with odds and ends before and after it. */
export function sedScript(roll: Roll, id: number): string {
  const bit = () => pickFrom(roll, SED_BITS);
  const act = pickFrom(roll, sedActs(id));
  const after =
    roll(2) === 0 ? '' : pickFrom(roll, ['\n', '\n/', '/', '\n}', '\n]/x/', ']/', ',x,', '/x/', '\np']);
  return `${bit()}${several(roll, 5, bit)}${act}${after}`;
}
