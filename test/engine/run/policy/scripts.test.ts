import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { awkScriptProblem } from '../../../../src/engine/run/policy/scripts/awk-script.ts';
import { sedScriptProblem } from '../../../../src/engine/run/policy/scripts/sed-script.ts';
import { soak } from '../../../soak.ts';
import { dice } from './hidden-scripts.ts';
import { runScripts } from './scripts-run.ts';

describe('a sed script', () => {
  const harmless = [
    'p',
    '',
    '# w comment',
    '#n\np',
    '1!G;h;$!d',
    '/a/,/b/{/c/!d}',
    '/a/I,+3 p',
    '0~3d;2,~4p',
    '\\|/usr|d',
    's/a/b/gI3p',
    's/\\/w/\\/e/',
    's|w file|e id|',
    's,[^,]*,x,',
    's/[]w/]/x/',
    's/[[:space:]/]*$//',
    'y/we/ew/',
    '$!N;s/\\n/ /;P;D',
    ':a;s/x/y/;ta',
    ': a\nN\nb a',
    'b end;d;:end',
    'a\\\nw out',
    'a w out',
    'i\\  e id',
    'c\\\none\\\nw two\\\nr three\np',
    '1{a hello\n}',
    'q5',
    'l 20;=;F;z;x',
    's/a/b/ ; s/c/d/ # w out',
    '{p;p};{p}',
    's/[^/]*\\///g;s/a|b/w/',
    's,/[^/,]*$,,',
    'b end # skip while',
    '/x/!{s/w/e/;b};p',
    's/"[^"]*"/w/g;s/\'[^\']*\'/e/',
  ];
  for (const script of harmless) {
    it(`may be ${JSON.stringify(script)}`, () => expect(sedScriptProblem(script)).toBeUndefined());
  }

  const dangerous = [
    'w out',
    '1,2w out',
    '/a/ !w out',
    '$!{w out\n}',
    'p;w out',
    'r in',
    'R in',
    'W out',
    'e',
    'e id',
    's/a/b/e',
    's/a/b/pw out',
    's/a/b/;s/c/d/2e',
    's|a|b|gw out',
    's/[/]/x/w out',
    'a\\\ntext\nw out',
    'a text\nw out',
    'a text\\\\\nw out',
    '#n\nw out',
    ':a;w out',
    'y/a/b/;w out',
    '}w out',
    '\\xaxw out',
    's\\a\\b\\w out',
    'q;e id',
    'pw out',
    'b;$pw out',
    '#\rw out',
    ':a 1}w out',
    ':a}b;w out',
    'v2,m\f/;w out',
    'y/[/]/;w out/x/',
    's[a[b[;w out',
    's/[[=x/y/;w out/]/z/',
    's/[\\]/y/;w out/]/z/',
    's/a/b\\\\\n/;w out',
    's\ta\tb\tw out',
    'b\\\n#x /x/w out',
    ':a b\\\np;# /x/w out',
    't\\\ny%%x%}# w out',
  ];
  for (const script of dangerous) {
    it(`may not be ${JSON.stringify(script)}`, () => expect(sedScriptProblem(script)).toBeDefined());
  }
});

describe('an awk program', () => {
  const harmless = [
    '1',
    '',
    '$3 > 10 {print}',
    '$3 > 10 && $2 < 5',
    '{ print ($1 > 2), ($1 < 2) }',
    '{ print($1 > 2) }',
    '{ x = $1 > 2; print x }',
    '{ print "a > b", "c | d" }',
    '/[/]/ { print }',
    '/[|>]/',
    '{ print $1 / 2, $2/4 }',
    '{ a[$1]++ } END { for (k in a) print k, a[k] / NR }',
    '{ gsub(/\\//, "-"); sub(/[^/]+$/, ""); print }',
    '{ if (x) print "system"; else printf "%s\\n", "getline < file" }',
    '{ print; next } # system("id") > "x"',
    '{ while ((getline line) > 0) n++ } END { print n }',
    '/x/ { getline; print }',
    'BEGIN { for (k in\na) print k\n print 1 in b\n x = 2 > 1 }',
    'BEGIN { print ENVIRON["HOME"]; if ("A" in ENVIRON) print 1 }',
    'BEGIN { x = "a"; sub(/a/, "b", x); print x ENVIRON["HOME"] }',
    '{ gsub(/(a|b)/, substr($0, (1)), $2); print ($1 > 2) }',
    'BEGIN { printf("%d %s\\n", 1, "x"); fflush(); close("x") }',
    '{ print length / 2 }',
    '{ print length($0) / 2 }',
    'function f(x, y) {\n  return x > y ? x : y\n}\n{ print f($1, $2) }',
    '{ print \\\n $1 }',
    'BEGIN { x = 0x1F + 1e5 + .5 }',
    '{ print > 5 ? 1 : 0 }'.replace('print > 5', 'y = x > 5'),
    '/[0-9]+\\/[0-9]+/ && /a|b/',
    '{ split($0, a, /[/|]/); print a[1] }',
    '{ print (s)/n " km/h > limit" }',
    '{ x /= 2; y = y / 3; print x, y }',
    '{ gsub(/[[:space:]]+/, "|"); gsub(/[[:punct:]]/, "/"); print }',
    '/^\\[.*\\]$/ { gsub(/[][]/, ""); print }',
    '{ sub(/\\/[^/]*$/, "", a); print a "|" $2 }',
    '{ print length / 2 " a|b"; x = i++ / 2; y = j++ / 4 }',
    'BEGIN { PROCINFO["sorted_in"] = "@ind_str_asc" } { a[$1]++ } END { for (k in a) print k }',
    '{ x = i++ / 2\n  y = j++ / 4\n  print x / y, "a|b" }',
    "{ x = 1; # it's | and > and /\n  print x }",
    '{ print 1 }\r\n{ print 2 }\r\n',
  ];
  for (const program of harmless) {
    it(`may be ${JSON.stringify(program)}`, () => expect(awkScriptProblem(program)).toBeUndefined());
  }

  const dangerous = [
    '{ print > "out" }',
    '{ print $1, $2 >> "out" }',
    '{ print ($1) > "out" }',
    '{ print(1)(2) > "out" }',
    '{ printf "%s", $1 > $2 }',
    '{ print a[1 > 2] }',
    '{ print | "sh" }',
    '{ "id" | getline }',
    'BEGIN { print 1 in\na > "PWN" }',
    'BEGIN { print "x\\n" (1 in b), 1 in # a remark\n\na > "PWN" }',
    'BEGIN { print(1) in\nb >> "PWN" }',
    'BEGIN { system("id") }',
    'BEGIN { awk::system("id") }',
    'BEGIN { getline x < "in" }',
    'BEGIN { getline a[1] < "in" }',
    'BEGIN { getline $1 < "in" }',
    'BEGIN { while (getline < "in") print }',
    '@include "x"',
    '@namespace "x"',
    'BEGIN { @f() }',
    'BEGIN { ARGV[1] = "x" }',
    'BEGIN { split("a b", ARGV) }',
    'BEGIN { ARGC++ }',
    'BEGIN { ENVIRON["X"] = 1 }',
    'BEGIN { ENVIRON["X"]++ }',
    'BEGIN { f(ENVIRON) }',
    'BEGIN { sub(/^/, ":/in", ENVIRON["TZ"]); print strftime("%H") }',
    'BEGIN { gsub (/x/, "y", ENVIRON["TZ"]) }',
    'BEGIN { bindtextdomain("/in"); print dcgettext("a", "b") }',
    'BEGIN { print dcngettext("a", "as", 2, "../in") }',
    'BEGIN { TEXTDOMAIN = "../../in"; print _"a" }',
    'BEGIN { FUNCTAB["x"] }',
    'BEGIN { 1 /=/; system("id") #/\n}',
    'BEGIN { x++ /"/; system("id") #"/\n}',
    'BEGIN { x = case /"/; system("id") #"/\n}',
    'BEGIN{a/=1system("id")}#/}',
    'BEGIN{x=/[[=x/ "]/;system("id")} #"}',
    'BEGIN{x=/[[.x/ "]/;system("id")} #"}',
    'BEGIN{x=/[[:x/ "]/;system("id")} #"}',
    'BEGIN{x=/[\\]/ "]/;system("id")} #"}',
    'BEGIN{getline /x;system("id")#/\n}',
    'BEGIN{/r/ /x;system("id")#/\n}',
    'BEGIN{length /=1system("id")#]/\n}',
    'BEGIN{int /x;system("id")#/\n}',
    'BEGIN{x++ /"/1system("id")#"\n}',
    'BEGIN{x++ /\n/ ;system("id")#"/\n}',
    'BEGIN{x++ /\n"x#/;system("id")#"/\n}',
    'BEGIN{x=(1\n/y);system("id")#/)\n}',
    'BEGIN{1system("id")}',
    'BEGIN{0x1system("id")}',
    'BEGIN{x="\\\r\n";system("id")#"}',
    'BEGIN{\\ #"\nx="";print 1 #"\n}',
    'BEGIN{\u00a0system("id")}',
    'BEGIN{print 1\n> "out"}',
    'BEGIN{getline\n< "in"}',
    'BEGIN{@/x/}',
    'BEGIN { "unfinished }',
    'BEGIN { ( }',
    `BEGIN { ${'x;'.repeat(20_000)} }`,
  ];
  for (const program of dangerous) {
    it(`may not be ${JSON.stringify(program).slice(0, 70)}`, () =>
      expect(awkScriptProblem(program)).toBeDefined());
  }
});

describe('random scripts', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'cofferdam-scripts-'));
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));
  /** The directory is empty at first, so the first script that leaves something there is the one that acted. */
  const expectNothingDone = (scripts: readonly string[], command: readonly string[]) => {
    const ran = runScripts(
      scripts.map((script) => [...command, script]),
      cwd,
      'a/b\n',
    );
    for (const [index, script] of scripts.entries()) expect(ran[index]!.files, script).toEqual([]);
  };
  const isThere = (program: string) => spawnSync(program, ['1'], { input: '' }).error === undefined;

  const awkParts = {
    operand: ['x', '1', '$1', 'x++', 'a[1]', '(x)', 'length', 'case', 'f(1)', '"/"', '"\\""', '"[/"'],
    regex: ['/a/', '/"/', '/[/]/', '/\\//', '/[]/]/', '/=/', '/="/', '/#/', '/[^"/]/', '/a[/', '/]/'],
    danger: ['system("touch PWN")', 'print "x" > "PWN"', 'print "touch PWN" | "sh"', '"touch PWN" | getline'],
  };

  function awkProgram(roll: (sides: number) => number): string {
    const pick = (list: readonly string[]) => list[roll(list.length)]!;
    const { operand, regex, danger } = awkParts;
    const expression = () =>
      [
        pick(operand),
        pick(regex),
        `${pick(operand)} / ${pick(operand)}`,
        `${pick(operand)} ${pick(regex)}`,
        `${pick(operand)} > ${pick(operand)}`,
      ][roll(5)]!;
    const statement = () =>
      [
        `x = ${expression()}`,
        `if (${expression()}) ${expression()}`,
        `print ${expression()}`,
        `print 1 ?\n 2 : ${expression()}`,
        `print a,\n\n ${expression()}`,
        pick(danger),
        `x = ${expression()} # ${pick(['"', '/', '[/'])}\n`,
      ][roll(7)]!;
    const body = Array.from({ length: 1 + roll(4) }, statement).join(pick(['; ', '\n']));
    return `function f(y) { return y }\nBEGIN { ${body}\n} ${pick(['', '#"/', '# /'])}`;
  }

  // The plain name usually means one of the others.
  const place = (awk: string) => spawnSync('sh', ['-c', `realpath "$(command -v ${awk})"`]).stdout.toString();
  const others = ['mawk', 'gawk'];
  const awks = others.some((awk) => place(awk) === place('awk')) ? others : ['awk', ...others];
  for (const awk of awks) {
    it(`do nothing in ${awk} when they are allowed`, ({ skip }) => {
      if (!isThere(awk)) return skip(`${awk} is not installed`);
      const roll = dice(41);
      const made = Array.from({ length: soak(150, 250) }, () => awkProgram(roll));
      const allowed = made.filter((program) => !awkScriptProblem(program));
      expect(allowed.length).toBeGreaterThan(50);
      expectNothingDone(allowed, [awk]);
    });
  }

  it('do nothing in sed when they are allowed', () => {
    const parts =
      '/ / s/a/b/ s/ | [ ] [/] [^/] \\ \\/ ; { } a i\\ c p $ 1 2, ! # y/a/b/ :a ba \\] [\\] []'.split(' ');
    const all = [...parts, ' ', '\n', '\n', 'a\\\n', 'w PWN', 'w PWN', 'e touch PWN', 'e touch PWN'];
    const roll = dice(17);
    const made = Array.from({ length: soak(200, 800) }, () =>
      Array.from({ length: 1 + roll(8) }, () => all[roll(all.length)]!).join(''),
    );
    const allowed = made.filter((script) => !sedScriptProblem(script));
    expect(allowed.length).toBeGreaterThan(50);
    expectNothingDone(allowed, ['sed', '--']);
  });
});
