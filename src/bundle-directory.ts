/** The directory of the built workers: that of the running bundle, or dist/ when the sources run unbundled. */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Node has `import.meta.dirname` since 20.11.
const here = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));

export const bundleDir: string = here.endsWith('/src') ? resolve(here, '../dist') : here;
