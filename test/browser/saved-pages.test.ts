// The record of a saved page is what Chromium does: one page, recorded again. Another version may do otherwise, which
// is a reason to record all of them: node lab/make/pages/record.ts

import { describe, expect, test } from 'vitest';
import { pageFixture } from '../../fixtures/pages.ts';
import { recordFixture } from '../../lab/make/pages/record-page.ts';
import { hasChromium } from '../support/chromium.ts';

describe.skipIf(!hasChromium)('a saved page', () => {
  test('is fetched as its record says', async () => {
    const fixture = pageFixture('picturefill');
    const { requests } = await recordFixture(fixture, 'phone');
    const urls = (all = requests) => all.map(({ url }) => url).sort();
    expect(urls()).toEqual(urls(fixture.record?.viewports.phone as typeof requests));
  });
});
