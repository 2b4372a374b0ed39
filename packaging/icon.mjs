// Draws icon.png, for those that take no SVG, from the icon of the Tool Trace page. Needs a Chromium.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const SIZE = 512;
const svg = readFileSync(new URL('../src/page/icon.svg', import.meta.url), 'utf8');
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Where the build runs as root, Chromium has no sandbox; the page is our own.
  args: ['--no-sandbox'],
});
try {
  const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
  await page.setContent(`<style>body { margin: 0 } svg { display: block }</style>${svg}`);
  await page.screenshot({ path: new URL('icon.png', import.meta.url).pathname, omitBackground: true });
} finally {
  await browser.close();
}
