// What hints() learned outlives its process, where it is given a store.

import { join } from 'node:path';
import express from 'express';
import { expect, it } from 'vitest';
import { createGraphStore } from '../../../prefetchd/index.ts';
import { hints } from '../../../server/index.ts';
import { folderOfTest } from '../../support/folder-of-tests.ts';
import { type Site, serve } from './set-up.ts';

async function shopWith(location: string): Promise<Site> {
  const store = await createGraphStore(location);
  const prefetch = hints({ prefetchd: { store, load: () => 0 } });
  await prefetch.ready;
  const app = express();
  app.use(prefetch);
  app.use((_, response) => void response.type('html').send('<p>page'));
  return serve(app, prefetch);
}

it('the first visitor after a restart is hinted what those before it taught', async () => {
  const location = `sqlite:${join(folderOfTest(), 'hints.db')}`;
  {
    await using shop = await shopWith(location);
    for (let visitor = 1; visitor <= 5; visitor++) {
      for (const path of ['/a', '/b']) await shop.visit(path, { visitor });
    }
  }
  await using shop = await shopWith(location);
  expect((await shop.visit('/a', { visitor: 9 })).link).toContain('</b>; rel=prefetch');
});
