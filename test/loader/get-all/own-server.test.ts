// A loader beside our own server: what came as a part is used and kept as if it had been fetched alone.

import express from 'express';
import { describe, expect, it } from 'vitest';
import { fieldValue } from '../../../http/header-pairs.ts';
import { loadPage } from '../../../loader/index.ts';
import { createOrigin, dictionaries, getAll } from '../../../server/index.ts';
import { pageOf } from '../../server/dictionaries/pages.ts';
import { listen } from '../../server/get-all/set-up.ts';
import { makeSite } from '../../server/site.ts';
import { memoryCache } from '../../support/memory-cache.ts';

const sheet = (name: string) =>
  Array.from({ length: 60 }, (_, i) => `.rule-${i * 7919} { margin: ${i}px }`).join('\n') +
  `\n.${name} { color: red }\n`;

describe('what came as parts', () => {
  it.each([true, false])('sheets and pages become dictionaries, getAll: %s', async (inOne) => {
    await using site = await makeSite({
      'a/1.html': `${pageOf('1')}<link rel=stylesheet href=1.css>`,
      'a/2.html': `${pageOf('2')}<link rel=stylesheet href=2.css>`,
      'a/1.css': sheet('one'),
      'a/2.css': sheet('two'),
    });
    const shelf = dictionaries();
    const handlers = [getAll(), shelf];
    await using origin = createOrigin(site.folder, { handlers, maxAgeSeconds: 60 });
    const { url } = await origin.listen();
    const cache = memoryCache();
    const { totals } = await loadPage(`${url}/a/1.html`, { cache, getAll: inOne });
    expect(totals).toMatchObject({ parts: inOne ? 1 : 0, errors: 0 });
    const second = await loadPage(`${url}/a/2.html`, { cache, getAll: false });
    const codings = second.resources.map(({ responseHeaders }) =>
      fieldValue(responseHeaders, 'content-encoding'),
    );
    expect([codings, second.totals.errors]).toEqual([['dcz', 'dcz'], 0]);
    expect(shelf.stats().coded).toBe(2);
  });

  it.each([true, false])('say the same of their use, getAll: %s', async (inOne) => {
    const said = {
      Link: '</late.css>; rel=preload; as=style',
      'Referrer-Policy': 'no-referrer',
      'No-Vary-Search': 'params=("x")',
    };
    const app = express().use(getAll());
    app.get('/', (_, res) => void res.send('<link rel=stylesheet href=/a.css>'));
    app.get(
      '/a.css',
      (_, res) => void res.type('css').set(said).set('X-Of-The-Server', '1').send('a{}'),
    );
    app.get('/late.css', (_, res) => void res.type('css').send('b{}'));
    const port = await listen(app);
    const { resources } = await loadPage(`http://127.0.0.1:${port}/`, { getAll: inOne });
    const [, row] = resources;
    expect(row?.partOf === null).toBe(!inOne);
    for (const [name, value] of Object.entries(said)) {
      expect([name, fieldValue(row?.responseHeaders ?? [], name.toLowerCase())]).toEqual([
        name,
        value,
      ]);
    }
    expect(resources.map(({ url }) => new URL(url).pathname)).toContain('/late.css');
  });
});
