import { fileURLToPath } from 'node:url';
import { replay } from '../../../src/dialects/replay/index.ts';
import { runGoldens } from '../../golden.ts';

runGoldens(replay, fileURLToPath(new URL('.', import.meta.url)));
