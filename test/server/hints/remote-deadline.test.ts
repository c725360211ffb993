// When is an answer of a remote prefetchd late, and when is it left alone? Against the real one, in a process of
// its own, and one that is silent.

import { expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { hints } from '../../../server/index.ts';
import { folderOfTests } from '../../support/folder-of-tests.ts';
import { servingPrefetchd } from '../../support/prefetchd-command.ts';
import { startRawServer } from '../../support/raw-server.ts';
import { delivered } from './remote-set-up.ts';
import { serve, site } from './set-up.ts';

const folder = folderOfTests();

/** The event loop does nothing else. */
function busyFor(ms: number): void {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
}

it('an answer that was here while the site was busy with something else is not late', async () => {
  await using remote = await servingPrefetchd(folder, ['serve', '--port', '0']);
  const prefetch = hints({ prefetchd: remote.url, ...withConstants({ deadlineMs: 200 }) });
  let isBusy = false;
  await using shop = await serve((req, res) => {
    const answer = () =>
      void res.setHeader('Content-Type', 'text/html').setHeader('ETag', '"1"').end('<p>');
    prefetch(req, res, answer);
    if (isBusy) setImmediate(busyFor, 600); // the question has left
  }, prefetch);
  await prefetch.ready;
  await shop.teach('/a', '/b');
  await delivered(shop, 6);
  expect((await shop.visit('/a')).link).toContain('</b>'); // the connection is there
  isBusy = true;
  const before = prefetch.stats().remote;
  expect((await shop.visit('/a', { visitor: 2 })).link).toContain('</b>');
  expect(prefetch.stats().remote?.late).toBe(before?.late);
});

it('questions that were under way together are late together, as one failure of the three', async () => {
  await using remote = await startRawServer({});
  await using shop = await site({
    prefetchd: remote.origin,
    ...withConstants({ deadlineMs: 800 }),
  });
  await shop.prefetch.ready;
  const visitors = Array.from({ length: 10 }, (_, visitor) => shop.visit('/a', { visitor }));
  await Promise.all(visitors);
  expect(shop.prefetch.stats().remote).toMatchObject({ asked: 10, late: 10, isFailing: false });
  for (let n = 0; n < 2; n++) await shop.visit('/a');
  expect(shop.prefetch.stats().remote).toMatchObject({ late: 12, isFailing: true });
});
