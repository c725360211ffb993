// The scanner on saved pages of real sites, beside the record of what Chromium fetched for them (fixtures/pages), on a
// phone and on a desktop: documents, style sheets and modules.

import { describe, expect, it } from 'vitest';
import { type PageFixture, pageFixtures, type ViewportName } from '../../../fixtures/pages.ts';
import { scannedPage } from './scanned-page.ts';

/** The layout puts them more than 1,250 pixels below the view. */
const tooFarDown = 'lazy images too far down';
interface Known {
  missed?: Record<string, number>;
  surplus?: Record<string, number>;
}

const known: Record<string, Known> = {
  'uikit-image phone': { surplus: { [tooFarDown]: 3 } },
  'uikit-image desktop': { surplus: { [tooFarDown]: 4 } },
};

const sum = (counts: Record<string, number> = {}): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

const cases = pageFixtures().flatMap((fixture) =>
  Object.entries(fixture.record?.viewports ?? {}).map(
    ([viewport, requests]) => [fixture, viewport as ViewportName, requests] as const,
  ),
);

async function compared([fixture, viewport, requests]: (typeof cases)[number]) {
  const { found } = await scannedPage(fixture as PageFixture, viewport);
  const theirs = requests.filter(({ favicon }) => favicon !== true).map(({ url }) => url);
  const missed = theirs.filter((url) => !found.has(url));
  const surplus = [...found.keys()].filter((url) => !theirs.includes(url));
  return { missed, surplus, theirs: theirs.length, ours: found.size };
}

describe('what Chromium fetches', () => {
  it.each(cases.map((each) => ({ name: `${each[0].name} ${each[1]}`, each })))(
    '$name',
    async ({ name, each }) => {
      const { missed, surplus } = await compared(each);
      expect(missed, missed.join('\n')).toHaveLength(sum(known[name]?.missed));
      expect(surplus, surplus.join('\n')).toHaveLength(sum(known[name]?.surplus));
    },
  );

  it('agrees with what is found, to 98 % both ways', async () => {
    const all = await Promise.all(cases.map(compared));
    const total = (count: (one: (typeof all)[number]) => number) =>
      all.reduce((before, one) => before + count(one), 0);
    expect(total((one) => one.missed.length) / total(({ theirs }) => theirs)).toBeLessThan(0.02);
    expect(total((one) => one.surplus.length) / total(({ ours }) => ours)).toBeLessThan(0.02);
  });
});
