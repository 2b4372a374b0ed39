// Removes the declarations that users of the library cannot reach: the compiler writes those of every module.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function removeUnreached(folder, entry) {
  const reached = new Set();
  const visit = (file) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, target] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g))
      visit(join(dirname(file), target.replace(/\.ts$/, '.d.ts').replace(/\.js$/, '.d.ts')));
  };
  visit(join(folder, entry));
  for (const each of readdirSync(folder, { recursive: true })) {
    const file = join(folder, each);
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file);
  }
}
