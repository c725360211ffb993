// A style sheet that imports another one, which has a font: after visitors whose browsers found them late, Chromium
// fetches both before it has the first style sheet, over HTTP/2 before it has the page. At default settings.

import { createHash, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { createPrefetchd } from '../../prefetchd/index.ts';
import { hints, type Request, type Response } from '../../server/index.ts';
import { hasChromium, launchChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { salted } from '../support/known-salt.ts';
import { makeTestCertificate, type TestCertificate } from '../support/tls.ts';
import { addressOf, userAgent, visitorFrom } from './set-up.ts';

const files: Record<string, [type: string, body: string]> = {
  '/': [
    'text/html',
    '<!doctype html><link rel=stylesheet href=/site.css><title>late</title><p>text',
  ],
  '/site.css': ['text/css', '@import "/more.css"; p { font-family: late }'],
  '/more.css': ['text/css', '@font-face { font-family: late; src: url(/late.woff2) }'],
  '/late.woff2': ['font/woff2', 'no font, which is all the same to how it is fetched'],
};
const objects = ['/site.css', '/more.css', '/late.woff2'];
const late = ['/late.woff2', '/more.css'];

interface Asked {
  path: string;
  referer: string | undefined;
}

function lateSite(certificate: TestCertificate | null, cacheControl: string) {
  const prefetchd = createPrefetchd({ load: () => 0, ...salted });
  const middleware = hints({ prefetchd, clientOf: addressOf });
  const asked: Asked[] = [];
  const waiting = new Map<string, Array<() => void>>();
  const handle = (req: Request, res: Response) => {
    const path = req.url ?? '';
    asked.push({ path, referer: req.headers.referer });
    const [type, body] = files[path] ?? ['text/plain', ''];
    const answer = () => {
      res.setHeader('Content-Type', type);
      res.setHeader('Cache-Control', path === '/' ? 'no-cache' : cacheControl);
      res.statusCode = path in files ? 200 : 404;
      res.end(body);
    };
    middleware(req, res, () => {
      const held = waiting.get(path);
      if (held === undefined) answer();
      else held.push(answer);
    });
  };
  const server =
    certificate === null ? createServer(handle) : createSecureServer({ ...certificate }, handle);
  return {
    ...{ prefetchd, middleware, asked, server },
    listen: async () => {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const scheme = certificate === null ? 'http' : 'https';
      return `${scheme}://localhost:${(server.address() as AddressInfo).port}/`;
    },
    /** Responses of these paths wait. */
    hold: (...paths: string[]) => {
      for (const path of paths) waiting.set(path, []);
    },
    release: (path: string) => {
      const answers = waiting.get(path) ?? [];
      waiting.delete(path);
      for (const answer of answers) answer();
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await middleware.close();
      await prefetchd.close();
    },
  };
}

/** A certificate that signs itself. Where all faults of certificates are ignored, what a 103 names is fetched twice. */
function openBrowser(certificate: TestCertificate | null): Promise<Browser> {
  const args = [`--user-agent=${userAgent}`];
  if (certificate !== null) {
    const key = createPublicKey(certificate.cert).export({ type: 'spki', format: 'der' });
    const fingerprint = createHash('sha256').update(key).digest('base64');
    args.push(`--ignore-certificate-errors-spki-list=${fingerprint}`);
  }
  return launchChromium({ args });
}

const pathOf = (referer: string | undefined) => URL.parse(referer ?? '')?.pathname;

// Chromium 156 overlooked 1 of 32 responses with status 103: hence `retry`.
describe.skipIf(!hasChromium)('Chromium', () => {
  it.each([
    ['HTTP/2, by a 103 while the page waits', true, 'max-age=300', true],
    ['HTTP/2 without lifetime, by Link, as a 103 would fetch twice', true, 'no-cache', false],
    ['HTTP/1.1, by the Link field, while the style sheet waits', false, 'max-age=300', false],
  ])(
    'over %s, preloads what a style sheet names',
    { retry: 2 },
    async (_, isHttp2, caching, isEarly) => {
      const certificate = isHttp2 ? await makeTestCertificate() : null;
      await using site = lateSite(certificate, caching);
      const url = await site.listen();
      await using browser = await openBrowser(certificate);
      const visitor = (number: number) => visitorFrom(browser, url, `192.0.2.${number}`);
      const refererOf = (path: string) =>
        pathOf(site.asked.find((one) => one.path === path)?.referer);
      const learned = (count: number) =>
        eventually(() => site.prefetchd.stats().learned.object === count, `${count} are learned`);
      for (const number of [1, 2]) {
        site.asked.length = 0;
        await using someone = await visitor(number);
        await someone.page.goto(url);
        await learned(number * objects.length);
        expect(objects.map(refererOf)).toEqual(['/', '/site.css', '/more.css']);
      }

      site.asked.length = 0;
      site.hold('/site.css', ...(isEarly ? ['/'] : []));
      await using someone = await visitor(3);
      const going = someone.page.goto(url);
      // Should the test fail first.
      going.catch(() => {});
      const isAsked = (path: string) => site.asked.some((one) => one.path === path);
      await eventually(() => late.every(isAsked), 'the late objects, while the others wait');
      await learned(2 * objects.length + late.length);
      site.release('/');
      site.release('/site.css');
      const response = await going;
      await someone.page.evaluate('document.fonts.ready.then(() => undefined)');

      // The page repeats the 103, for clients behind what drops that; a browser fetches nothing twice.
      const link = (await response?.headerValue('link')) ?? '';
      expect(site.middleware.stats().early).toBe(isEarly ? 1 : 0);
      expect(link.includes('</late.woff2>; rel=preload; as=font; crossorigin;')).toBe(true);
      expect(link.includes('</more.css>; rel=preload; as=style;')).toBe(true);
      const asked = site.asked.map(({ path }) => path).filter((path) => objects.includes(path));
      expect(asked.sort()).toEqual(objects.toSorted());
      expect(late.map(refererOf)).toEqual(['/', '/']);
      expect(someone.said.join()).not.toContain('preload');
    },
  );
});
