// A trial: one machine alone sees hints, and no other machine takes part.

import express from 'express';
import { describe, expect, it } from 'vitest';
import { createPrefetchd, type PrefetchdOptions } from '../../../prefetchd/index.ts';
import { type HintsOptions, hints } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { salted } from '../../support/known-salt.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { judged, type Site, serve, site, type Visit } from './set-up.ts';

const calm: PrefetchdOptions = { load: () => 0, ...salted, window: 2 };

/** A site whose prefetchd is in a trial, and what the prefetchd told. */
async function inTrial(
  trial: PrefetchdOptions['trial'] = true,
  options: HintsOptions = {},
): Promise<Site & { told: string[]; prefetchd: ReturnType<typeof createPrefetchd> }> {
  const told: string[] = [];
  const log = tellingLog((message) => told.push(message));
  const prefetchd = createPrefetchd({ ...calm, trial, log });
  return Object.assign(await site({ ...options, prefetchd }), { told, prefetchd });
}

async function walk(
  { visit, prefetchd }: Awaited<ReturnType<typeof inTrial>>,
  paths: readonly string[],
  how: Visit = {},
): Promise<string[]> {
  const links: string[] = [];
  for (const path of paths) {
    const before = judged(prefetchd);
    links.push((await visit(path, how)).link ?? '');
    await eventually(() => judged(prefetchd) > before, `${path} is judged`);
  }
  return links;
}

const elsewhere = { headers: { 'x-forwarded-for': '192.0.2.9' } };

describe('a trial', () => {
  it('hints what one machine did once, and goes on learning from it', async () => {
    await using tried = await inTrial();
    const links = await walk(tried, ['/', '/a', '/']);
    expect(links[2]).toContain('</a>; rel=prefetch');
    for (let time = 0; time < 4; time++) await walk(tried, ['/', '/b']);
    expect((await tried.visit('/')).link).toContain('</b>; rel=prefetch');
    expect(tried.prefetchd.stats().notLearned).toEqual({});
  });

  it('counts each hint that its machine uses, though it had the page before', async () => {
    await using tried = await inTrial();
    await walk(tried, ['/', '/a', '/', '/a', '/', '/a']);
    expect(tried.prefetchd.stats().hints).toMatchObject({ given: 4, used: 3 });
  });

  it('says that it is on', async () => {
    await using tried = await inTrial();
    expect(tried.told).toEqual([expect.stringMatching(/^this is a trial: /)]);
  });

  it('says once why a page has no hints, and what a browser over plain HTTP will not do', async () => {
    const told: string[] = [];
    const prefetch = hints({
      prefetchd: createPrefetchd({ ...calm, trial: true }),
      log: tellingLog((message) => told.push(message)),
    });
    const app = express().use(prefetch);
    app.get('/{*path}', (_, res) => void res.cookie('a', 'b').type('html').send('<p>page'));
    await using site = await serve(app, prefetch);
    const chromium =
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36';
    for (const userAgent of [chromium, chromium, 'curl/8']) {
      await site.visit('/a', { headers: { 'user-agent': userAgent } });
    }
    expect(told).toEqual([
      expect.stringContaining('over HTTPS and on localhost only'),
      expect.stringMatching(/no hints, .*: set-cookie$/),
      expect.stringMatching(/: bot; headless browsers/),
    ]);
  });

  it.each<HintsOptions>([{ trustProxy: 'loopback' }, {}])(
    'refuses whoever is elsewhere, and says so once (%j)',
    async (options) => {
      await using tried = await inTrial(true, options);
      await walk(tried, ['/', '/a', '/']);
      const links = await walk(tried, ['/', '/b', '/'], elsewhere);
      expect(links).toEqual(['', '', '']);
      expect(tried.prefetchd.stats().notLearned).toEqual({ trial: 3 });
      expect((await tried.visit('/')).link).not.toContain('/b');
      expect(tried.told).toHaveLength(2);
      expect(tried.told[1]).toContain("trial: 'everywhere'");
    },
  );

  it("admits them with 'everywhere'", async () => {
    await using tried = await inTrial('everywhere', { trustProxy: 'loopback' });
    const links = await walk(tried, ['/', '/a', '/'], elsewhere);
    expect(links[2]).toContain('</a>; rel=prefetch');
  });

  it('of hints() is one of its own prefetchd', async () => {
    const site = hints({ trial: true });
    await site.close();
    for (const prefetchd of ['http://127.0.0.1:7733', createPrefetchd()]) {
      expect(() => hints({ trial: true, prefetchd })).toThrow('trial');
    }
  });
});
