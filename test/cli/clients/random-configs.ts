/** Random configurations in JSON with comments, TOML and YAML: valid, but as untidy as people write them. */

/** Numbers from 0 to 1 that depend on a seed, so that a failure can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed * 2654435761 + 1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    state ^= state >>> 13;
    return (state >>> 0) / 2 ** 32;
  };
}

export class Choice {
  readonly #random: () => number;
  #names = 0;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  maybe(chance = 0.5): boolean {
    return this.#random() < chance;
  }

  from(lowest: number, highest: number): number {
    return lowest + Math.floor(this.#random() * (highest - lowest + 1));
  }

  of<T>(list: readonly T[]): T {
    return list[this.from(0, list.length - 1)]!;
  }

  /** A key that was not used before. */
  key(): string {
    return `${this.of(['a', 'theme', 'size-px', 'Zürich', 'x_1'])}${this.#names++}`;
  }

  word(): string {
    return this.of([
      'plain',
      '',
      '# no comment',
      '// no comment',
      '}',
      ']',
      '[mcp_servers.cofferdam]',
      'a "b" c',
      "it's",
      'ü→',
      'a\\b',
      ': x',
      '- y',
    ]);
  }

  comment(): string {
    return this.of(['note', '"cofferdam": {}', '[mcp_servers]', 'ends with a comma,', 'ü { [', '']);
  }
}

interface Style {
  lineEnd: string;
  unit: string;
}

export function randomJson(choice: Choice, keys: readonly string[]): string {
  const style: Style = { lineEnd: choice.of(['\n', '\r\n']), unit: choice.of(['  ', '    ', '\t']) };
  const isOneLine = choice.maybe(0.2);
  const top = choice.maybe(0.2) ? `// ${choice.comment()}${style.lineEnd}` : '';
  const body = isOneLine
    ? jsonLine(choice, keys)
    : jsonTable(choice, style, style.lineEnd, choice.maybe(0.8) ? keys : []);
  return top + body + choice.of(['', style.lineEnd, `${style.lineEnd}// ${choice.comment()}`]);
}

function jsonLine(choice: Choice, keys: readonly string[]): string {
  const servers = choice.maybe() ? `"${keys[0]}": {${choice.maybe() ? '"other": {"command":"x"}' : ''}}` : '';
  const parts = [`"${choice.key()}": ${JSON.stringify(choice.word())}`, servers].filter(
    (part) => part !== '',
  );
  return choice.maybe(0.2) ? '{}' : `{${parts.join(choice.of([',', ', ']))}${choice.maybe(0.2) ? ',' : ''}}`;
}

function jsonTable(choice: Choice, style: Style, indent: string, keys: readonly string[]): string {
  const inner = indent + style.unit;
  const count = choice.from(0, 4);
  const parts = Array.from(
    { length: count },
    () => `${JSON.stringify(choice.key())}: ${jsonValue(choice, style, inner)}`,
  );
  const [key, ...rest] = keys;
  if (key !== undefined)
    parts.splice(
      choice.from(0, count),
      0,
      `"${key}"${choice.of(['', ' '])}: ${jsonTable(choice, style, inner, rest)}`,
    );
  if (parts.length === 0)
    return choice.of(['{}', '{ }', `{${indent}}`, `{ // ${choice.comment()}${indent}}`]);
  const lines = parts.map((part, at) => {
    const comma = at < parts.length - 1 || choice.maybe(0.3) ? ',' : '';
    const before = choice.maybe(0.2)
      ? `${inner}${choice.of([`// ${choice.comment()}`, `/* ${choice.comment()} */`])}`
      : '';
    const behind = choice.maybe(0.2) ? ` // ${choice.comment()}` : '';
    return `${before}${inner}${part}${choice.maybe(0.1) ? ' /* c */' : ''}${comma}${behind}`;
  });
  return `{${lines.join('')}${choice.maybe(0.1) ? `${inner}/* end */` : ''}${indent}}`;
}

function jsonValue(choice: Choice, style: Style, indent: string): string {
  const kind = choice.from(0, 5);
  if (kind === 0) return jsonTable(choice, style, indent, []);
  if (kind === 1) return choice.of(['[]', '[1, 2]', '[ "a", // one\n "b" ]', 'null', 'true', '-1.5e3']);
  return JSON.stringify(choice.word());
}

export function randomToml(choice: Choice): string {
  const lineEnd = choice.of(['\n', '\r\n']);
  const lines = tomlPairs(choice);
  for (let tables = choice.from(0, 4); tables > 0; tables--) {
    const name = choice.key().replace('ü', 'u');
    const header = choice.of([
      `[${name}]`,
      `[[${name}]]`,
      `[mcp_servers.${name}]`,
      `  [ mcp_servers . "${name}" ] # c`,
    ]);
    lines.push(...(choice.maybe() ? [''] : []), header, ...tomlPairs(choice));
  }
  if (choice.maybe(0.3)) lines.push('', `# ${choice.comment()}`);
  const text = lines.join(lineEnd);
  return text + choice.of(['', lineEnd, lineEnd + lineEnd]);
}

function tomlPairs(choice: Choice): string[] {
  return Array.from({ length: choice.from(0, 3) }, () => {
    const key = choice.key().replace('ü', 'u');
    const value = choice.of([
      JSON.stringify(choice.word()),
      `'''\n[mcp_servers.cofferdam]\ncommand = 1\n'''`,
      '"""a \\""" b\n[x]\n"""',
      '[1, # one ]\n  2,\n]',
      '{ a = 1, b.c = "}" }',
      '1979-05-27T07:32:00Z',
      '9007199254740993',
    ]);
    const pair = `${key} = ${value}${choice.maybe(0.2) ? ` # ${choice.comment()}` : ''}`;
    return choice.maybe(0.2) ? `# ${choice.comment()}\n${pair}` : pair;
  });
}

export function randomYaml(choice: Choice): string {
  const lineEnd = choice.of(['\n', '\r\n']);
  const indent = choice.of(['  ', '    ', ' ']);
  const lines = choice.maybe(0.2) ? ['---'] : [];
  lines.push(...yamlPairs(choice, '', indent));
  const extensions = yamlExtensions(choice, indent);
  if (choice.maybe(0.8)) lines.push(...extensions);
  lines.push(...yamlPairs(choice, '', indent));
  if (choice.maybe(0.3)) lines.push(`# ${choice.comment()}`);
  return lines.join(lineEnd) + choice.of(['', lineEnd, lineEnd + lineEnd]);
}

function yamlExtensions(choice: Choice, indent: string): string[] {
  const flow = choice.of([
    'extensions: {}',
    'extensions: { }',
    'extensions: {a: {b: 1}, c: 2}',
    'extensions:',
    'extensions: # none',
  ]);
  if (choice.maybe(0.4)) return [flow];
  const pairs = yamlPairs(choice, indent, indent);
  return pairs.length === 0
    ? ['extensions: {}']
    : [`extensions:${choice.maybe(0.2) ? ' # c' : ''}`, ...pairs];
}

function yamlPairs(choice: Choice, indent: string, unit: string): string[] {
  return Array.from({ length: choice.from(0, 3) }, () => yamlPair(choice, indent, unit)).flat();
}

function yamlPair(choice: Choice, indent: string, unit: string): string[] {
  const key = `${indent}${choice.key()}:`;
  const value = choice.of<readonly string[]>([
    [`${key} ${JSON.stringify(choice.word())}`],
    [`${key} plain text # ${choice.comment()}`],
    [key],
    [`${key} |-`, `${indent}${unit}line: one`, '', `${indent}${unit}# two`],
    [`${key} >-`, `${indent}${unit}folded`],
    [
      key,
      `${indent}${unit}- a`,
      `${indent}${unit}# between`,
      `${indent}${unit}- b: 1`,
      `${indent}${unit}  c: 2`,
    ],
    [key, `${indent}- a`, `${indent}- b`],
    [key, `${indent}${unit}deep:`, `${indent}${unit}${unit}deeper: [1, {a: b}]`],
    [`${key} &${choice.key().replace(/[^a-z0-9]/gi, '')} 1`],
  ]);
  return choice.maybe(0.2) ? [`${indent}# ${choice.comment()}`, ...value] : [...value];
}
