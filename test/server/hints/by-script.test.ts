// Pages that scripts show, and parts of pages that they fetch: Turbo, htmx, pjax, jQuery, Unpoly, Inertia, service
// workers; with and without the fields of Fetch Metadata, which browsers send over HTTPS alone.

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hints } from '../../../server/index.ts';
import { calm, serve, type Visit } from './set-up.ts';

const whole = '<!doctype html><html><title>page</title><p>page';
const part = '<li>part';

/** Pages are whole documents, what is below /part/ is none. */
async function shop(
  answer = (url: string, res: ServerResponse) => {
    res.setHeader('Content-Type', 'text/html');
    res.end(url.startsWith('/part/') ? part : whole);
  },
) {
  const prefetchd = calm();
  const prefetch = hints({ prefetchd });
  const served = await serve(
    (req, res) => prefetch(req, res, () => answer(req.url ?? '', res)),
    prefetch,
    prefetchd,
  );
  const hinted = () =>
    prefetchd.hints({ url: '/', kind: 'document', threshold: 0.1 }).map(({ url }) => url);
  /** Four visitors open the start page, and their script asks for another URL. */
  const script = async (url: string, headers: NonNullable<Visit['headers']>, times = 1) => {
    const referer = `http://127.0.0.1:${served.port}/`;
    for (const visitor of [1, 2, 3, 4]) {
      await served.visit('/', { visitor });
      for (let time = 0; time < times; time++) {
        const said = { 'sec-fetch-user': undefined, referer, ...headers };
        await served.visit(url, { visitor, headers: said });
      }
    }
    // Learned in batches.
    await new Promise(setImmediate);
  };
  return Object.assign(served, { prefetchd, hinted, script });
}

const asked = { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' };
const fetched = { ...asked, 'sec-fetch-mode': 'cors' };
const unpoly = { 'x-up-version': '3.9' };
const html = { accept: 'text/html, application/xhtml+xml' };

describe('a visit', () => {
  it.each<[string, Visit['headers'] & object]>([
    ['Turbo Drive', { ...fetched, ...html, 'x-turbo-request-id': '7' }],
    ['Turbo Drive over plain HTTP', { ...html, 'x-turbo-request-id': '7' }],
    ['a boosted link of htmx', { ...fetched, ...html, 'hx-request': 'true', 'hx-boosted': 'true' }],
    ['Unpoly', { ...fetched, accept: 'text/html;q=0.9, */*', ...unpoly, 'x-up-target': 'main' }],
    ['a service worker for a navigation', { ...asked, ...html, 'sec-fetch-mode': 'navigate' }],
  ])('%s', async (_, headers) => {
    await using site = await shop();
    await site.script('/news', headers);
    expect(site.hinted()).toEqual(['/news']);
  });

  it('in gzip, of which the beginning cannot be read', async () => {
    const coded = { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' };
    await using site = await shop((_, res) => void res.writeHead(200, coded).end(gzipSync(part)));
    await site.script('/news', { ...fetched, ...html });
    expect(site.hinted()).toEqual(['/news']);
  });

  it.each([
    '﻿<!DOCTYPE html>',
    '\n <!-- made by --> <!-- a generator -->\n<html lang="en">',
    '<?xml version="1.0"?>\n<HTML>',
  ])('of a document that begins with %j', async (start) => {
    await using site = await shop((_, res) => {
      res.setHeader('Content-Type', 'text/html').write(start.slice(0, 3));
      res.end(`${start.slice(3)}<p>`);
    });
    await site.script('/news', { ...fetched, ...html });
    expect(site.hinted()).toEqual(['/news']);
  });
});

describe('no visit', () => {
  it.each<[string, string, Visit['headers'] & object]>([
    ['a part for htmx', '/part/list', { ...fetched, accept: '*/*', 'hx-request': 'true' }],
    ['a part for htmx over plain HTTP', '/part/list', { accept: '*/*', 'hx-request': 'true' }],
    ['a whole page for htmx, which takes a part', '/news', { accept: '*/*', 'hx-request': 'true' }],
    ['a frame of Turbo', '/news', { ...fetched, ...html, 'turbo-frame': 'list' }],
    ['pjax', '/news', { ...html, 'x-pjax': 'true', 'x-requested-with': 'XMLHttpRequest' }],
    ['jQuery', '/part/list', { accept: '*/*', 'x-requested-with': 'XMLHttpRequest' }],
    ['Inertia', '/news', { ...html, 'x-inertia': 'true' }],
    ['Unpoly that gets a part', '/part/list', { ...fetched, ...html, 'x-up-target': '.list' }],
    ['a part that is polled over plain HTTP', '/part/list', { accept: '*/*' }],
    ['fetch() of a page', '/news', { ...fetched, accept: '*/*' }],
    ['prefetching by Turbo', '/news', { ...fetched, ...html, 'x-sec-purpose': 'prefetch' }],
  ])('%s', async (_, url, headers) => {
    await using site = await shop();
    await site.script(url, headers);
    expect(site.hinted()).toEqual([]);
    expect(site.prefetchd.stats().nodes).toBeLessThanOrEqual(3);
  });

  it('so parts that are polled push no page out of the window', async () => {
    await using site = await shop();
    for (const visitor of [11, 12, 13, 14]) {
      await site.visit('/', { visitor });
      for (let time = 0; time < 20; time++) {
        const headers = { accept: '*/*', referer: `http://127.0.0.1:${site.port}/` };
        await site.visit(`/part/news-${time}`, { visitor, headers });
      }
      await site.visit('/news', { visitor });
    }
    await new Promise(setImmediate);
    expect(site.hinted()).toEqual(['/news']);
  });
});
