// What is learned where pages are shown from the browser's cache, which asks the server for nothing. Visitors whose pages
// come from prefetches are walked in test/e2e/prefetched-visits.test.ts, at each way that hints take.

import { expect, test } from 'vitest';
import { type Access, createPrefetchd } from '../../../prefetchd/index.ts';
import { salted } from '../../support/known-salt.ts';

const isNews = ({ url }: { url: string }) => url === '/news';

test('a page that stays fresh was not opened once, however many others were from the same one', async () => {
  let nowMs = Date.UTC(2026, 0, 5, 12);
  const options = { ...salted, now: () => nowMs, threshold: 0.05 };
  await using prefetchd = createPrefetchd(options);
  const truth = 0.7;
  for (let visitor = 0; visitor < 120; visitor++) {
    const client = `192.0.2.${visitor} Chrome`;
    const observe = (access: Partial<Access> & { url: string }) => {
      nowMs += 10_000;
      prefetchd.observe({
        ...{ client, timeMs: nowMs, kind: 'document', status: 200, bytes: 5000, prefetch: false },
        ...access,
      });
    };
    observe({ url: '/' });
    observe({ url: '/site.css', kind: 'object', page: '/' });
    const isHinted = prefetchd.hints({ url: '/', kind: 'document' }).some(isNews);
    if (isHinted)
      observe({ url: '/news', prefetch: true, page: '/', byRules: false, freshMs: 300_000 });
    const isReader = Math.floor((visitor + 1) * truth) > Math.floor(visitor * truth);
    if (isReader && !isHinted) observe({ url: '/news', page: '/' });
    if (isReader) continue;
    // A hub: the browser shows / again without asking.
    for (const url of ['/a', '/b', '/c']) observe({ url, page: '/' });
  }
  const [news] = prefetchd.hints({ url: '/', threshold: 0, limit: null }).filter(isNews);
  expect(Math.abs((news?.probability ?? 0) - truth)).toBeLessThan(0.1);
});
