// What speculation rules say is that of the prefetchd, wherever it is. Where a remote one does not answer, nobody knows
// who is held back: there are no rules.

import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { Prefetchd } from '../../../prefetchd/index.ts';
import { response, startRawServer } from '../../support/raw-server.ts';
import { json, patient, siteWith } from './remote-set-up.ts';
import { type Site, site } from './set-up.ts';

/** Of 20 visitors of / 10 go on to /a, and 2 each to /b, /c, /d, /e, /f. */
function teach(prefetchd: Prefetchd): void {
  const ways = [...Array(10).fill('/a'), ...'bcdef'.split('').flatMap((c) => [`/${c}`, `/${c}`])];
  for (const [visitor, to] of ways.entries()) {
    for (const url of ['/', to]) {
      prefetchd.observe({
        ...{ client: `192.0.2.${visitor} x`, url, timeMs: Date.now(), kind: 'document' },
        ...{ status: 200, bytes: 500, prefetch: false },
      });
    }
  }
}

const path = '/speculation-rules.json?url=%2F';

async function rulesOf(shop: Site, visitor = 1) {
  const { prefetch = [] } = JSON.parse((await shop.visit(path, { visitor })).body);
  const of = (tag: string): string[] =>
    prefetch.find((rule: { tag: string }) => rule.tag === `prefetchd-${tag}`)?.urls ?? [];
  const hasLinks = prefetch.some(({ source }: { source: string }) => source === 'document');
  const numberOf = (tag: string) => of(tag).length;
  return {
    ...{ immediate: numberOf('immediate'), eager: numberOf('eager') },
    ...{ moderate: numberOf('moderate'), hasLinks },
  };
}

const settings = withConstants({ minPageClients: 2 });

describe.each(['in process', 'remote'] as const)('%s', (where) => {
  it('they are those of the prefetchd, as they are now', async () => {
    await using shop = await siteWith(where, settings);
    teach(shop.prefetchd);
    expect(await rulesOf(shop)).toMatchObject({ eager: 1, moderate: 5, hasLinks: false });
    shop.prefetchd.tune({ otherLinks: 'conservative' });
    expect(await rulesOf(shop, 2)).toMatchObject({ eager: 1, moderate: 5, hasLinks: true });
  });

  it('a page says so where there is a rule for all links alone', async () => {
    await using shop = await siteWith(where, settings);
    teach(shop.prefetchd);
    const field = async () => (await shop.visit('/new')).headers['speculation-rules'];
    expect(await field()).toBeUndefined();
    shop.prefetchd.tune({ otherLinks: 'moderate' });
    await rulesOf(shop);
    expect(await field()).toBe('"/speculation-rules.json?url=%2Fnew"');
  });
});

it('a remote prefetchd that does not answer has no rules, as who is held back is not known', async () => {
  let answer = json({ hints: [], speculation: { otherLinks: 'moderate' } });
  await using remote = await startRawServer({
    onRequest: (_, connection) => void connection.write(answer),
  });
  await using shop = await site({ prefetchd: remote.origin, ...patient });
  await shop.prefetch.ready;
  expect((await rulesOf(shop)).hasLinks).toBe(true);
  answer = response('', {}, '500 No');
  // The first are refused, then none is asked.
  for (let n = 0; n < 5; n++) expect((await rulesOf(shop)).hasLinks).toBe(false);
  expect(shop.prefetch.stats().remote?.skipped).toBeGreaterThan(0);
});
