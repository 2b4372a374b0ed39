/** All tests in a real Chromium. They share one file because a browser takes long to start. */
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest';
import { testView } from '../change-view/view.ts';
import { chromiumPath } from './browser.ts';
import { testLook } from './chromium/look.ts';
import { testOrder } from './chromium/order.ts';
import { testProgram } from './chromium/program.ts';
import { testTrace } from './chromium/trace.ts';
import { PageFixture } from './page-fixture.ts';

const where = chromiumPath ?? 'not tested: no Chromium was found; install chromium or set CHROMIUM';

describe.skipIf(chromiumPath === undefined)(`in Chromium (${where})`, () => {
  const on = new PageFixture();
  beforeAll(() => on.startBrowser());
  afterAll(() => on.closeBrowser());

  describe('the page', () => {
    beforeEach(() => on.begin());
    afterEach(() => on.end());

    testTrace(on);
    describe('(appearance)', () => testLook(on));
    describe('(order and time range)', () => testOrder(on));
  });

  describe('the program and its page', () => testProgram(on));
  describe('the view of a change', () => testView(on));
});
