/** The worker behind regex edits: takes one edit, answers with what it would change. */
import { parentPort } from 'node:worker_threads';
import { findRegexSplices, type RegexEdit } from '../text/regex-edit.ts';

parentPort?.on('message', (edit: RegexEdit) => {
  parentPort?.postMessage(findRegexSplices(edit));
});
