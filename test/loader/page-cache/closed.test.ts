// A cache that its owner closes while a page loads: the page goes on without it, and the process lives.

import { expect, test } from 'vitest';
import { createLoader } from '../../../loader/index.ts';
import { startSite, usual } from './site.ts';

test.each(['/', '/image-0.gif', '/image-5.gif'])('closed when %s was asked for', async (when) => {
  await using site = await startSite({
    headers: { 'Cache-Control': 'max-age=60' },
    answer: (request) => {
      if (request.path === when) site.kept.cache.close();
      return undefined;
    },
  });
  await using loader = createLoader({ cache: site.kept.cache });
  const load = await loader.load(`${site.server.origin}/`);
  expect(load.resources.map(({ status, error }) => [status, error])).toEqual(
    Array(7).fill([200, null]),
  );
});

test('closed while what is stored is asked about', async () => {
  const site = await startSite({ answer: (request, here) => usual(here, request) });
  await using _ = site;
  await using loader = createLoader({ cache: site.kept.cache });
  await loader.load(`${site.server.origin}/`);
  const loading = loader.load(`${site.server.origin}/`, { cacheMode: 'no-cache' });
  setImmediate(() => site.kept.cache.close());
  const load = await loading;
  expect(load.totals.errors).toBe(0);
});

test('closed before: a mistake, which is told', async () => {
  await using site = await startSite();
  site.kept.cache.close();
  await using loader = createLoader({ cache: site.kept.cache });
  const loading = loader.load(`${site.server.origin}/`);
  await expect(loading).rejects.toMatchObject({ name: 'LoaderError', code: 'loader-closed' });
});
