// The scanner on saved pages of real sites, beside the record of what Chromium fetched for them (fixtures/pages), on a
// phone and on a desktop: documents, style sheets and modules.

import { expect, it } from 'vitest';
import { type PageFixture, pageFixtures, type ViewportName } from '../../../fixtures/pages.ts';
import { scannedPage } from './scanned-page.ts';

interface Known {
  why: string;
  missed?: string[];
  surplus?: string[];
}

const photos = (width: number, height: number, ...names: string[]) =>
  names.map(
    (name) => `http://images.unsplash.com.test/photo-${name}?fit=crop&w=${width}&h=${height}&q=80`,
  );
const far = ['1645022576935-fc012945f8e7', '1562315434-3e2de605346e', '1644489263914-eef937e00343'];
const why =
  'lazy images among the first eight, which the layout puts more than 1,250 pixels below the view';

const known: Record<string, Known> = {
  'uikit-image phone': { why, surplus: photos(746, 498, ...far) },
  'uikit-image desktop': { why, surplus: photos(373, 249, '1645042770830-b698d978c49a', ...far) },
};

const cases = pageFixtures().flatMap((fixture) =>
  Object.entries(fixture.record?.viewports ?? {}).map(
    ([viewport, requests]) => [fixture, viewport as ViewportName, requests] as const,
  ),
);

it.each(cases.map((each) => ({ name: `${each[0].name} ${each[1]}`, each })))(
  'what Chromium fetches: $name',
  async ({ name, each: [fixture, viewport, requests] }) => {
    const { found } = await scannedPage(fixture as PageFixture, viewport);
    const theirs = requests.filter(({ favicon }) => favicon !== true).map(({ url }) => url);
    const { missed = [], surplus = [], why } = known[name] ?? {};
    expect(
      theirs.filter((url) => !found.has(url)),
      why,
    ).toEqual(missed);
    expect(
      [...found.keys()].filter((url) => !theirs.includes(url)),
      why,
    ).toEqual(surplus);
  },
);
