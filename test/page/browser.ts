/** A real Chromium for tests, if one is installed. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** How long to wait for a state of the page: a busy machine may need many times as long as an idle one. */
export const PATIENCE_MS = 120_000;

/** The headless shell comes first, because it takes two thirds of the processor time. */
const PLACES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
];

export const chromiumPath: string | undefined = [process.env.CHROMIUM ?? '', ...PLACES].find(
  (path) => path !== '' && existsSync(path),
);

/** As root, for example in a container, Chromium only runs without its own sandbox. */
export function startBrowser(): Promise<Browser> {
  // One process for all pages: a new process for each page would have to start and warm up each time.
  const args = ['--renderer-process-limit=1', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: chromiumPath!, args, timeout: PATIENCE_MS });
}
