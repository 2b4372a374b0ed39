/** The directory of the built workers: beside the running bundle, or dist/ when the sources run as they are. */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

// Node has it since 20.11.
const here = import.meta.dirname ?? dirname(fileURLToPath(import.meta.url));

export const bundleDir: string = here.endsWith('/src') ? resolve(here, '../dist') : here;
