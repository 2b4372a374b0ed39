/** Writes sources for the tasks to work on: a made-up program, as large as a task needs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const AREAS = ['orders', 'stock', 'mail', 'billing', 'search'];

/** Modules, keyed by their path below the folder. `extra` gives additional lines for a module, or none. */
export function modules(count, extra = () => []) {
  return new Map(
    Array.from({ length: count }, (_, index) => {
      const area = AREAS[index % AREAS.length];
      return [`src/${area}/${area}-${index}.ts`, moduleText(area, index, extra(index))];
    }),
  );
}

function moduleText(area, index, extra) {
  const name = `${area}${index}`;
  return [
    `/** Keeps the ${area} of branch ${index}. */`,
    `import { open } from '../store.ts';`,
    ...extra.slice(0, 1),
    '',
    `const LIMIT_OF_${index} = ${index * 7 + 10};`,
    '',
    `export class ${area[0].toUpperCase()}${area.slice(1)}${index} {`,
    `  readonly ${name} = open('${name}');`,
    '',
    '  async first(wanted: number): Promise<string[]> {',
    `    const found = await this.${name}.take(Math.min(wanted, LIMIT_OF_${index}));`,
    '    if (found.length === 0) return [];',
    ...extra.slice(1).map((line) => `    ${line}`),
    '    return found.map((entry) => entry.title);',
    '  }',
    '',
    '  close(): void {',
    `    this.${name}.close();`,
    '  }',
    '}',
    '',
  ].join('\n');
}

export function writeAll(folder, files) {
  for (const [name, content] of files) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}
