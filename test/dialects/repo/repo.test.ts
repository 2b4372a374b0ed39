import { fileURLToPath } from 'node:url';
import { repo } from '../../../src/dialects/repo/index.ts';
import { runGoldens } from '../../golden.ts';

runGoldens(repo, fileURLToPath(new URL('.', import.meta.url)));
