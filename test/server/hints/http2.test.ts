// The same middleware as a handler of createOrigin: hints over HTTP/2, and 103 Early Hints before the page
// is looked for. Learned over HTTP/1 on the same port: what is known is one thing.

import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientSessionOptions,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { expect, it } from 'vitest';
import type { Access } from '../../../prefetchd/index.ts';
import { type HintsOptions, hints } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { salted } from '../../support/known-salt.ts';
import { RawClient } from '../raw-client.ts';
import { serveSite } from '../site.ts';
import { browser, calm, teachBy, visitPort } from './set-up.ts';

const image = { headers: { 'sec-fetch-dest': 'image', accept: 'image/*' } };

async function originWithHints(options: HintsOptions = {}) {
  const prefetch = hints({ prefetchd: { load: () => 0, ...salted }, ...options });
  const files = { 'a.html': '<p>a', 'b.html': '<p>b', 'i.png': 'i' };
  const served = await serveSite(files, { handlers: [prefetch], maxAgeSeconds: 0 });
  for (const visitor of [1, 2, 3]) {
    await visitPort(served.port, '/a.html', { visitor });
    await visitPort(served.port, '/i.png', { visitor, ...image });
  }
  await teachBy((path, how) => visitPort(served.port, path, how), ['/a.html', '/b.html']);
  const session = connect(served.url, { localAddress: '127.0.0.90' } as ClientSessionOptions);
  return {
    port: served.port,
    prefetch,
    get: (path: string, headers: Record<string, string> = {}) => get(session, path, headers),
    session,
    async [Symbol.asyncDispose]() {
      session.destroy();
      await served[Symbol.asyncDispose]();
      await prefetch.close();
    },
  };
}

async function get(session: ClientHttp2Session, path: string, fields: Record<string, string>) {
  const opens = { 'user-agent': browser, accept: 'text/html', 'sec-fetch-user': '?1' };
  const stream = session.request({ ':path': path, ...opens, ...fields });
  const early: IncomingHttpHeaders[] = [];
  stream.on('headers', (headers) => early.push(headers));
  const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders];
  stream.resume();
  await once(stream, 'close');
  return { headers, link: headers.link, early: early.map(({ link }) => link) };
}

it('pages carry hints over HTTP/2; a 103 with what is embedded goes before', async () => {
  await using origin = await originWithHints({ threshold: 0.3 });
  const seen = await origin.get('/a.html');
  expect(seen.headers[':status']).toBe(200);
  expect(seen.early).toEqual(['</i.png>; rel=preload; as=image']);
  expect(seen.link).toContain('</b.html>; rel=prefetch');
  expect(seen.link).toContain('</i.png>; rel=preload; as=image');
  expect(origin.prefetch.stats()).toMatchObject({ early: 1, faults: {} });
});

it.each<[string, string, Record<string, string>]>([
  ['prefetches', '/a.html', { 'sec-purpose': 'prefetch' }],
  ['parts', '/a.html', { range: 'bytes=0-1' }],
  ['revalidation', '/a.html', { 'if-none-match': '"x"' }],
  ['objects', '/b.html', { 'sec-fetch-dest': 'image' }],
  ['bots', '/a.html', { 'user-agent': 'Googlebot/2.1' }],
])('no 103 for %s', async (_, path, headers) => {
  await using origin = await originWithHints({ threshold: 0.3 });
  expect((await origin.get(path, headers)).early).toEqual([]);
  expect((await origin.get('/a.html')).early).toHaveLength(1);
});

it('no 103 over HTTP/1.1, whose browsers do not heed it, unless wished; over HTTP/1.0 never', async () => {
  await using origin = await originWithHints({ threshold: 0.3 });
  expect((await visitPort(origin.port, '/a.html', { visitor: 9 })).early).toEqual([]);
  await using eager = await originWithHints({ threshold: 0.3, earlyHints: true });
  expect((await visitPort(eager.port, '/a.html', { visitor: 9 })).early).toHaveLength(1);
  const old = new RawClient(eager.port);
  old.send(
    `GET /a.html HTTP/1.0\r\nHost: 127.0.0.1\r\nUser-Agent: ${browser}\r\nAccept: text/html\r\n\r\n`,
  );
  await old.closed;
  expect(old.bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(old.bytes.toString()).toContain('\r\nLink: <');
  await using none = await originWithHints({ threshold: 0.3, earlyHints: false });
  expect((await none.get('/a.html')).early).toEqual([]);
});

it('a stream that was reset teaches nothing', async () => {
  const prefetchd = calm();
  const prefetch = hints({ prefetchd });
  const served = await serveSite(
    {},
    {
      handlers: [
        prefetch,
        (req, res) => {
          res.setHeader('Content-Type', 'text/html');
          res.write(Buffer.from('<p>'));
          if (req.url === '/whole') res.end();
        },
      ],
    },
  );
  const session = connect(served.url);
  const stream = session.request({ ':path': '/cut', 'user-agent': browser, accept: 'text/html' });
  await once(stream, 'data');
  stream.close(8);
  await once(stream, 'close');
  await get(session, '/whole', {});
  await eventually(() => prefetchd.stats().learned.document > 0, 'the whole one is learned');
  expect(prefetchd.stats().learned.document).toBe(1);
  session.destroy();
  await served[Symbol.asyncDispose]();
  await prefetchd.close();
});

it('the largest image that beacons named is first in the 103 and on the page', async () => {
  const prefetchd = calm();
  await using site = await originWithHints({ prefetchd });
  for (const visitor of [1, 2]) {
    const image: Access = {
      ...{ client: `127.0.0.${visitor + 1} ${browser}`, url: '/hero.svg', page: '/a.html' },
      ...{ kind: 'object', timeMs: Date.now(), status: 200, bytes: 0, prefetch: false },
    };
    prefetchd.observe(image);
    prefetchd.observe({ ...image, shown: true, isLargest: true });
  }
  const { link, early } = await site.get('/a.html');
  const first = /^<\/hero\.svg>; rel=preload; as=image; fetchpriority=high\b/;
  expect(early).toEqual([expect.stringMatching(first)]);
  // Chromium 156 drops each link of a 103 with a parameter that it does not know.
  expect(early.join()).not.toContain('probability');
  const own = String(link)
    .split(', ')
    .filter((each) => each.includes('rel=preload'));
  expect(own[0]).toMatch(first);
  await prefetchd.close();
});
