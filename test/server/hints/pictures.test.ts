// A site whose pages have pictures, behind hints() that was told nothing of predicting: its pages lead to pages,
// and what a next page embeds is never fetched as if the page shown needed it.

import { setImmediate } from 'node:timers/promises';
import express from 'express';
import { expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { createService } from '../../../prefetchd/service/index.ts';
import { type HintsOptions, hints } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { salted } from '../../support/known-salt.ts';
import { MemoryContent, MemoryGraphStore } from '../../support/memory-graph-store.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { calm, serve } from './set-up.ts';

const picturesOf = (page: string) => [1, 2, 3, 4, 5, 6].map((nth) => `${page}/${nth}.png`);
const [one, two] = [picturesOf('/one'), picturesOf('/two')];

/** Nothing is said of how to predict. */
const unsaid = { load: () => 0, ...salted };

/** Pages /one, /two, and any other, with six pictures each, on Express. */
async function gallery(options: HintsOptions = { prefetchd: unsaid }) {
  const prefetch = hints(options);
  const app = express();
  let finished = 0;
  app.use((_, res, next) => {
    // What a response taught is learned before what is done here.
    res.on('finish', async () => {
      await setImmediate();
      await setImmediate();
      finished++;
    });
    next();
  });
  app.use(prefetch);
  app.get('/:page/:picture.png', (_, res) => void res.type('png').send('picture'));
  app.get('/:page', (req, res) => {
    const images = picturesOf(req.path).map((src) => `<img src="${src}">`);
    res.type('html').send(images.join(''));
  });
  const site = await serve(app, prefetch);
  const ask = async (visitor: number, path: string, headers = {}) => {
    const before = finished;
    const seen = await site.visit(path, { visitor, headers });
    await eventually(() => finished > before, `${path} finished`);
    return seen;
  };
  /** The page with all that a browser then asks for. */
  const show = async (visitor: number, page: string, from?: string) => {
    const { port } = site;
    const link = from === undefined ? {} : { referer: `http://127.0.0.1:${port}${from}` };
    const seen = await ask(visitor, page, link);
    for (const picture of picturesOf(page)) {
      const referer = `http://127.0.0.1:${port}${page}`;
      await ask(visitor, picture, { accept: 'image/*', 'sec-fetch-dest': 'image', referer });
    }
    return seen;
  };
  return Object.assign(site, {
    show,
    teach: async () => {
      for (const visitor of [11, 12, 13]) {
        await show(visitor, '/one');
        await show(visitor, '/two', '/one');
      }
    },
  });
}

/** What a Link field names, by relation. */
function named(link = '') {
  const members = link.split(', ').map((member) => /^<(.*?)>; rel=(\w+)/.exec(member) ?? []);
  const of = (rel: string) =>
    members.filter(([, , is]) => is === rel).map(([, path]) => path ?? '');
  return { prefetch: of('prefetch'), preload: of('preload') };
}

it('after three visitors a page names the next page, and no picture of that as a preload', async () => {
  await using site = await gallery();
  await site.teach();
  const { prefetch, preload } = named((await site.visit('/one')).link);
  expect(prefetch[0]).toBe('/two');
  expect(prefetch.slice(1).every((path) => two.includes(path))).toBe(true);
  expect(preload.filter((path) => !one.includes(path))).toEqual([]);
  expect(prefetch.length + preload.length).toBeLessThanOrEqual(3);
});

it('with more room the pictures of both pages are named, each for its own navigation', async () => {
  await using site = await gallery({ prefetchd: unsaid, limit: 8 });
  await site.teach();
  const { link } = await site.visit('/one');
  const { prefetch, preload } = named(link);
  expect(prefetch[0]).toBe('/two');
  expect(prefetch.slice(1).toSorted()).toEqual(two.slice(0, 3));
  expect(preload.toSorted()).toEqual(one.slice(0, 3));
  for (const path of two.slice(0, 3)) expect(link).toContain(`<${path}>; rel=prefetch; as=image;`);
});

// With i = 3 the next page's pictures would take their places, with i = 8 they would go out beside them.
it.each([3, 8])('a 103 hastens the pictures of its own page alone: i = %i', async (limit) => {
  await using site = await gallery({ prefetchd: unsaid, limit, earlyHints: true });
  await site.teach();
  const { early } = await site.visit('/one');
  const { prefetch, preload } = named(early.join(', '));
  expect(prefetch).toEqual([]);
  expect(preload.toSorted()).toEqual(one.slice(0, 3));
});

it('a predictor that is given wins: in a plain graph the pictures fill the window', async () => {
  const prefetchd = { ...unsaid, predictor: 'dependency-graph' as const };
  await using site = await gallery({ prefetchd, limit: 8 });
  await site.teach();
  const { prefetch, preload } = named((await site.visit('/one')).link);
  expect(prefetch).toEqual([]);
  expect(preload.toSorted()).toEqual(one.slice(0, 3));
});

it('a remote prefetchd answers as it predicts, and which page a picture is for comes through', async () => {
  const prefetchd = calm({ predictor: 'double-graph' });
  const service = createService(prefetchd, withConstants({ closeTimeoutMs: 100 }));
  const { url } = await service.listen({ port: 0 });
  {
    const patient = withConstants({ deadlineMs: 1000 });
    await using site = await gallery({ prefetchd: url, limit: 8, ...patient });
    await site.prefetch.ready;
    await site.teach();
    const learned = () => prefetchd.stats().learned;
    await eventually(() => learned().document + learned().object === 42, 'all learned');
    const { prefetch, preload } = named((await site.visit('/one')).link);
    expect(prefetch[0]).toBe('/two');
    expect(prefetch.slice(1).toSorted()).toEqual(two.slice(0, 3));
    expect(preload.toSorted()).toEqual(one.slice(0, 3));
  }
  await service.close();
  await prefetchd.close();
});

it('a store that another predictor taught: told what to do, and hints go on from memory', async () => {
  const content = new MemoryContent();
  const before = calm({ predictor: 'dependency-graph', store: new MemoryGraphStore({ content }) });
  const access = { client: '192.0.2.1 a', timeMs: Date.now(), kind: 'document' } as const;
  before.observe({ ...access, url: '/one', status: 200, bytes: 1, prefetch: false });
  await before.close();
  const told: string[] = [];
  await using site = await gallery({
    prefetchd: { ...unsaid, store: new MemoryGraphStore({ content }), flushIntervalMs: 10 },
    log: tellingLog((message) => told.push(message)),
  });
  await site.teach();
  await eventually(() => told.length > 0, 'told');
  expect(told[0]).toMatch(
    /keeps what dependency-graph .*learned.*double-graph.*name that predictor/,
  );
  expect(named((await site.visit('/one')).link).prefetch).toContain('/two');
});
