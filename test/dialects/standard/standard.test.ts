import { fileURLToPath } from 'node:url';
import { standard } from '../../../src/dialects/standard/index.ts';
import { runGoldens } from '../../golden.ts';

runGoldens(standard, fileURLToPath(new URL('.', import.meta.url)));
