// A cache that its owner closes while a page loads: the page goes on without it, and the process lives.

import { expect, test } from 'vitest';
import { createLoader } from '../../../loader/index.ts';
import { keptCache, startSite, usual } from './site.ts';

test.each(['/', '/image-0.gif', '/image-5.gif'])('closed when %s was asked for', async (when) => {
  await using kept = keptCache();
  await using site = await startSite({
    headers: { 'Cache-Control': 'max-age=60' },
    answer: (request) => {
      if (request.path === when) kept.cache.close();
      return undefined;
    },
  });
  await using loader = createLoader({ cache: kept.cache });
  const load = await loader.load(`${site.server.origin}/`);
  expect(load.resources.map(({ status, error }) => [status, error])).toEqual(
    Array(7).fill([200, null]),
  );
});

test('closed while what is stored is asked about', async () => {
  await using kept = keptCache();
  const site = await startSite({ answer: (request, here) => usual(here, request) });
  await using _ = site;
  await using loader = createLoader({ cache: kept.cache });
  await loader.load(`${site.server.origin}/`);
  const loading = loader.load(`${site.server.origin}/`, { cacheMode: 'no-cache' });
  setImmediate(() => kept.cache.close());
  const load = await loading;
  expect(load.totals.errors).toBe(0);
});

test('closed before: a mistake, which is told', async () => {
  await using kept = keptCache();
  await using site = await startSite();
  kept.cache.close();
  await using loader = createLoader({ cache: kept.cache });
  const loading = loader.load(`${site.server.origin}/`);
  await expect(loading).rejects.toMatchObject({ name: 'LoaderError', code: 'loader-closed' });
});
