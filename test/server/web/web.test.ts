// `loadahead/web` and `loadahead/fastify` under servers that we did not write: Hono on Node, and Fastify. What visitors
// teach becomes hints, the site's responses stay as they are, and what hints() answers by itself is answered.

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hints } from '../../../server/web/index.ts';
import { browser, calm } from '../hints/set-up.ts';
import { fastifySite, frameworks, honoSite, html, koaSite, page } from './sites.ts';

const chromium = { 'sec-ch-ua': '"Chromium";v="140"', 'sec-fetch-site': 'none' };

describe.each([
  ...frameworks.map(([name, start]) => [name, '', start] as const),
  ['Koa, mounted', '/shop', koaSite],
  ['Hono, below a base path', '/shop', honoSite],
  ['Fastify, below a prefix', '/shop', fastifySite],
  ['Fastify, below a parameter', '/shop', () => fastifySite('/:tenant/')],
] as const)('%s', (_, at, start) => {
  it('three visitors teach, and others get the hint', async () => {
    const { visit, teach } = await start(at);
    await teach(`${at}/`, `${at}/news`);
    const { status, link, body } = await visit(`${at}/`, { visitor: 4 });
    expect([status, link, body]).toEqual([
      200,
      expect.stringContaining(`<${at}/news>; rel=prefetch`),
      page,
    ]);
    const { headers } = await visit(`${at}/`, { visitor: 5, headers: chromium });
    const rules = /^"(.+)"$/.exec(String(headers['speculation-rules']))?.[1] ?? '';
    const { status: found, body: named } = await visit(rules, { visitor: 5 });
    expect([found, named]).toEqual([200, expect.stringContaining(`"${at}/news"`)]);
  });
});

describe('loadahead/web', () => {
  it('receives beacons', async () => {
    const prefetch = hints();
    onTestFinished(() => prefetch.close());
    const headers = { 'user-agent': browser, 'sec-fetch-site': 'same-origin' };
    const say = (body: string) =>
      prefetch(
        new Request('http://site.example/prefetch-beacon', { method: 'POST', headers, body }),
        () => new Response('not for the site'),
        { address: '192.0.2.1' },
      );
    expect(
      (await say('{"moment":"shown","page":"/news","from":"/","navigation":"navigate"}')).status,
    ).toBe(204);
    expect((await say('junk')).status).toBe(400);
    expect((await say('x'.repeat(5_000))).status).toBe(413);
  });

  it('leaves responses as they are', async () => {
    const { visit } = await honoSite();
    expect((await visit('/none')).status).toBe(204);
    expect(await visit('/fails')).toMatchObject({ status: 500, body: 'failed' });
  });

  it('learns nothing of pages that set cookies, and of visitors whose address is not known', async () => {
    const prefetchd = calm();
    const told: unknown[] = [];
    const warn = (...given: unknown[]) => void told.push(given);
    const log = { debug() {}, info() {}, warn, error: warn };
    const prefetch = hints({ prefetchd, log });
    const open = async (path: string, address?: string) => {
      const fetched = {
        'user-agent': browser,
        'sec-fetch-dest': 'document',
        accept: 'text/html',
      };
      const request = new Request(`http://site.example${path}`, { headers: fetched });
      const cookie = { 'Set-Cookie': 'session=1' };
      const headers = { ...html, ...(path.startsWith('/private') && cookie) };
      const response = await prefetch(request, () => new Response('<p>', { headers }), { address });
      const text = await response.text();
      await setImmediate(); // an access is learned behind the response, not before it
      return { text, link: response.headers.get('link') };
    };
    for (const visitor of [1, 2, 3, 4]) {
      for (const path of ['/a', '/private', '/b']) await open(path, `192.0.2.${visitor}`);
      for (const path of ['/x', '/y']) await open(path);
    }
    expect(Object.keys((await prefetchd.stats()).notLearned)).toContain('set-cookie');
    expect(await open('/a', '192.0.2.9')).toEqual({
      text: '<p>',
      link: expect.stringContaining('</b>'),
    });
    expect((await open('/x', '192.0.2.9')).link).toBe(null);
    expect(told).toEqual([
      [
        expect.objectContaining({ url: 'http://site.example/x' }),
        expect.stringContaining('address'),
      ],
    ]);
    await prefetch.close();
    await prefetchd.close();
  });

  it('learns a page only when its body has been sent whole', async () => {
    const prefetchd = calm();
    const prefetch = hints({ prefetchd });
    const headers = { 'user-agent': browser, 'sec-fetch-dest': 'document' };
    const open = (more: Record<string, string> = {}) =>
      prefetch(
        new Request('http://site.example/', { headers: { ...headers, ...more } }),
        () => new Response('<!doctype html><p>page', { headers: { ...html, ETag: '"1"' } }),
        { address: '192.0.2.1' },
      );
    const response = await open();
    await response.body?.cancel();
    expect(prefetchd.stats().learned.document).toBe(0);
    await (await open()).text();
    // An access is learned behind the response, not before it.
    await expect.poll(() => prefetchd.stats().learned.document).toBe(1);
    // SvelteKit sends a 304 in place of what the visitor has (RFC 9110 13.1.2), and reads no body.
    expect((await open({ 'If-None-Match': '"1"' })).status).toBe(200);
    await expect.poll(() => prefetchd.stats().learned.document).toBe(2);
    await prefetch.close();
    await prefetchd.close();
  });

  it('hands on what is no response to a request of HTTP, and what the site throws', async () => {
    const prefetch = hints();
    onTestFinished(() => prefetch.close());
    const request = new Request('http://site.example/');
    const error = Response.error();
    expect(await prefetch(request, () => error)).toBe(error);
    const failing = prefetch(request, () => Promise.reject(new Error('the site fails')));
    await expect(failing).rejects.toThrow('the site fails');
  });
});
