// The scanner on saved pages of real sites, beside the record of what Chromium fetched for them (fixtures/pages): what
// HTML and modules name, on a phone and on a desktop. What style sheets name is not found yet.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type PageFixture,
  pageFixtures,
  type ViewportName,
  viewports,
} from '../../../fixtures/pages.ts';
import { answerFrom } from '../../../fixtures/serve-page.ts';
import { createScanner, type Reference } from '../../../loader/scan/index.ts';

const origin = 'http://page.test';

/** Lazy images that the layout puts more than 1,250 pixels below the view, which a scanner cannot know. */
const tooFarDown = {
  'uikit-image phone': 3,
  'uikit-image desktop': 4,
};

/** As chromium.json writes them: those of the HTML, and of the modules that it leads to. */
async function scanned(fixture: PageFixture, viewport: ViewportName): Promise<Set<string>> {
  const { devicePixelRatio: dpr, ...size } = viewports[viewport];
  const url = origin + fixture.page.document;
  const scanner = createScanner({ url, viewport: size, dpr, media: true, frames: true });
  const answer = answerFrom(fixture);
  const found = new Set<string>();
  const follow = async (reference: Pick<Reference, 'url' | 'kind'>, isModule: boolean) => {
    const short = reference.url.replace(origin, '');
    if (found.has(short)) return;
    found.add(short);
    const served = isModule ? await answer(short) : undefined;
    for (const each of scanner.modulesOf(served?.body.toString() ?? '', reference.url)) {
      await follow(each, each.kind === 'script');
    }
  };
  const html = readFileSync(fixture.html);
  for (const each of [...scanner.write(html), ...scanner.end()]) {
    await follow(each, each.isModule === true);
  }
  return found;
}

describe.each(pageFixtures())('$name', (fixture) => {
  const cases = Object.entries(fixture.record?.viewports ?? {});
  test.each(cases)('%s', async (viewport, requests) => {
    const ours = await scanned(fixture, viewport as ViewportName);
    const theirs = requests.filter(({ favicon }) => favicon !== true).map(({ url }) => url);
    const inText = readFileSync(fixture.html, 'latin1');
    const missed = theirs.filter(
      (url) => !ours.has(url) && inText.includes(`/${url.split('/').at(-1)}`),
    );
    expect(missed).toEqual([]);
    const surplus = [...ours].filter((url) => !theirs.includes(url));
    const known = tooFarDown[`${fixture.name} ${viewport}` as keyof typeof tooFarDown] ?? 0;
    expect(surplus, surplus.join('\n')).toHaveLength(known);
  });
});
