/** A real Chromium for tests, where one is installed. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** How long to wait for a state of the page: a busy machine may take many times as long as an idle one. */
export const PATIENCE_MS = 120_000;

/** First the one without windows, which takes two thirds of the processor time. */
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

/** As root, as in a container, Chromium runs only without its own sandbox. */
export function startBrowser(): Promise<Browser> {
  // A process for each page would have to be started and warmed up each time.
  const args = ['--renderer-process-limit=1', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: chromiumPath!, args, timeout: PATIENCE_MS });
}
