// The scanner on saved pages of real sites, beside the record of what Chromium fetched for them (fixtures/pages), on a
// phone and on a desktop: documents, style sheets and modules.

import { describe, expect, it } from 'vitest';
import { type PageFixture, pageFixtures, type ViewportName } from '../../../fixtures/pages.ts';
import { scannedPage } from './scanned-page.ts';

interface Known {
  why: string;
  missed?: string[];
  surplus?: string[];
}

const photo = (name: string, width: number, height: number) =>
  `http://images.unsplash.com.test/photo-${name}?fit=crop&w=${width}&h=${height}&q=80`;

const known: Record<string, Known> = {
  'uikit-image phone': {
    why: 'lazy images among the first eight, which the layout puts more than 1,250 pixels below the view',
    surplus: [
      photo('1645022576935-fc012945f8e7', 746, 498),
      photo('1562315434-3e2de605346e', 746, 498),
      photo('1644489263914-eef937e00343', 746, 498),
    ],
  },
  'uikit-image desktop': {
    why: 'lazy images among the first eight, which the layout puts more than 1,250 pixels below the view',
    surplus: [
      photo('1645042770830-b698d978c49a', 373, 249),
      photo('1645022576935-fc012945f8e7', 373, 249),
      photo('1562315434-3e2de605346e', 373, 249),
      photo('1644489263914-eef937e00343', 373, 249),
    ],
  },
};

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
      const { missed: mayMiss = [], surplus: mayHave = [], why } = known[name] ?? {};
      expect(missed, why).toEqual(mayMiss);
      expect(surplus, why).toEqual(mayHave);
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
