import { fileURLToPath } from 'node:url';
import { workspace } from '../../../src/dialects/workspace/index.ts';
import { runGoldens } from '../../golden.ts';

runGoldens(workspace, fileURLToPath(new URL('.', import.meta.url)));
