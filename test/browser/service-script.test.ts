// The script of the service, `/v1/prefetch.js`, on a page of a site whose web server leads two paths to the service.

import { Buffer } from 'node:buffer';
import { request } from 'node:http';
import { expect, it } from 'vitest';
import { serveRoundTrips } from '../../fixtures/round-trips.ts';
import type { Handler } from '../../server/index.ts';
import { access, running } from '../prefetchd/service/ask.ts';
import { hasChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { reader, sharedBrowser } from './set-up.ts';

const [page, next] = ['/with-script', '/beginnings/'] as const;

/** What a web server does in front of the service: the paths it leads there, by what they are called on the site. */
function front(service: string, paths: Readonly<Record<string, string>>): Handler {
  return (req, res, pass) => {
    const [path = '', query] = (req.url ?? '').split('?');
    const target = paths[path];
    if (target === undefined) return pass();
    const question = query === undefined ? '' : `?${query}`;
    const headers = { host: 'localhost' };
    const url = service + target + question;
    const asked = request(url, { agent: false, headers }, async (answer) => {
      res.statusCode = answer.statusCode ?? 502;
      for (const [name, value] of Object.entries(answer.headers)) {
        res.setHeader(name, String(value));
      }
      res.end(Buffer.concat(await answer.toArray()));
    });
    asked.on('error', pass);
    asked.end();
  };
}

const pageWith =
  (script: string): Handler =>
  (req, res, pass) => {
    if (req.url !== page) return pass();
    res.setHeader('Content-Type', 'text/html');
    res.setHeader('Content-Security-Policy', "script-src 'self'; connect-src 'self'");
    res.end(
      `<!DOCTYPE html><title>A page</title><a href="${next}">On</a><script src="${script}" async></script>`,
    );
  };

const browser = sharedBrowser();

it.skipIf(!hasChromium).each([
  ['/v1/prefetch.js', '/v1/speculation-rules'],
  ['/prefetch.js', '/speculation-rules'],
])(
  'at %s it fetches the page that %s names, and the click takes it from the cache',
  async (script, rules) => {
    await using service = await running({ prefetchd: { minClients: 3, window: 2 } });
    for (const client of ['one x', 'two x', 'three x']) {
      await service.post('/v1/accesses', [access(client, page), access(client, next)]);
    }
    await using site = await serveRoundTrips({
      handlers: [
        front(service.url, { [script]: '/v1/prefetch.js', [rules]: '/v1/speculation-rules' }),
        pageWith(script),
      ],
    });
    await using someone = await reader(browser(), { knowsRules: false });
    await someone.page.goto(site.url + page);
    await eventually(() => site.count(next).prefetches === 1, 'the next page is fetched ahead');
    const asked = site.requests.map(({ path }) => path);
    expect(asked).toContain(`${rules}?url=${encodeURIComponent(page)}`);
    await someone.page.getByText('On').click();
    await someone.page.waitForURL(site.url + next);
    const type = "performance.getEntriesByType('navigation')[0].deliveryType";
    expect(await someone.page.evaluate(type)).toBe('cache');
    expect(site.count(next)).toEqual({ requests: 1, prefetches: 1 });
    expect(someone.said).toEqual([]);
  },
);
