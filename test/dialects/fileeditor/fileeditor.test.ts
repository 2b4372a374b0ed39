import { fileURLToPath } from 'node:url';
import { fileeditor } from '../../../src/dialects/fileeditor/index.ts';
import { runGoldens } from '../../golden.ts';

runGoldens(fileeditor, fileURLToPath(new URL('.', import.meta.url)));
