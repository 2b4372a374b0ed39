import { fileURLToPath } from 'node:url';
import { patch } from '../../../src/dialects/patch/index.ts';
import { runGoldens } from '../../golden.ts';

runGoldens(patch, fileURLToPath(new URL('.', import.meta.url)));
