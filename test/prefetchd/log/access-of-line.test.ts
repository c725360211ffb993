// Which lines become accesses, of whom, of what kind, and which the filter drops.

import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import type { ReadLogOptions } from '../../../prefetchd/log/index.ts';
import { emptyLine } from '../../../prefetchd/log/log-format.ts';
import {
  isNoPage,
  kindOfLine,
  kindOfPath,
  kindOfTarget,
} from '../../../prefetchd/rules/access-kind.ts';
import { verdictOfPath, verdictOfUserAgent } from '../../../prefetchd/rules/filter.ts';
import { accessesOf, readChunks } from '../../contracts/log-reader.ts';

const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0';

interface Request {
  client?: string;
  request?: string;
  status?: number;
  userAgent?: string;
  time?: string;
}

function combined({ client = 'a', request = 'GET / HTTP/1.1', ...rest }: Request): string {
  const { status = 200, userAgent = browser, time = '01/Jan/2024:00:00:00 +0000' } = rest;
  return `${client} - - [${time}] "${request}" ${status} 10 "-" "${userAgent}"\n`;
}

async function read(requests: Request[], options?: ReadLogOptions) {
  const reading = readChunks([Buffer.from(requests.map(combined).join(''))], options);
  const urls = (await accessesOf(reading)).map(({ url }) => url);
  const dropped = Object.entries(reading.statistics.dropped).filter(([, count]) => count > 0);
  return { urls, dropped: Object.fromEntries(dropped) };
}

/** Texts separated by spaces. */
const each = (texts: string) => texts.split(/\s+/);

describe('an access is a GET answered with 2xx or 304', () => {
  it.each([200, 304])('%i is one', async (status) => {
    expect(await read([{ status }])).toEqual({ urls: ['/'], dropped: {} });
  });

  it('206 is a part of an object, and no page', async () => {
    const film = { request: 'GET /film.mp4 HTTP/1.1', status: 206 };
    expect(await read([film, { status: 206 }, { request: 'GET /b HTTP/1.1' }])).toEqual({
      urls: ['/film.mp4', '/b'],
      dropped: { 'not-page': 1 },
    });
  });

  it('what opens no page is left out, and does not come between two pages', async () => {
    const downloads = '/files/setup.EXE /dist/v1.2.tar.gz?mirror=3 /logs/app.log';
    const feeds = '/feed/ /category/news/feed /feed/atom/ /?feed=rss2 /blog/index.rss';
    const targets = ['/a', ...each(`${downloads} ${feeds}`), '/b'];
    const requests = targets.map((target) => ({ request: `GET ${target} HTTP/1.1` }));
    expect(await read(requests)).toEqual({ urls: ['/a', '/b'], dropped: { 'not-page': 8 } });
  });

  it.each([301, 302, 400, 404, 500])('%i is none', async (status) => {
    expect(await read([{ status }])).toEqual({ urls: [], dropped: { status: 1 } });
  });

  it.each(['HEAD', 'POST', 'OPTIONS', 'get'])('%s is none', async (method) => {
    const request = `${method} / HTTP/1.1`;
    expect(await read([{ request }])).toEqual({ urls: [], dropped: { method: 1 } });
  });

  it.each(['-', '\\x16\\x03\\x01', '', 'GET', 'OPTIONS * HTTP/1.0', 'CONNECT h:443 HTTP/1.1'])(
    '"%s" asks for nothing',
    async (request) => {
      expect(await read([{ request }])).toEqual({ urls: [], dropped: { 'no-request': 1 } });
    },
  );

  it.each([
    ['no path is special to JavaScript', '/__proto__', '/__proto__'],
    ['URLs are normalised', '/a/../b#c', '/b'],
    ['an absolute URL is a path', 'http://Example.com/x', '/x'],
    ['a query is normalised', '/q?a=%7e', '/q?a=~'],
    ['spaces are escaped', '/sp ace', '/sp%20ace'],
    ['escapes of the log become those of the URL', '/\\xC3\\xA9\\"x', '/%C3%A9%22x'],
    ['a quote that is not escaped does not end the request', '/a"b', '/a%22b'],
  ])('%s', async (_, target, url) => {
    expect((await read([{ request: `GET ${target} HTTP/1.1` }])).urls).toEqual([url]);
  });
});

describe('document or object', () => {
  it.each([
    ['document', '/ /a /a.html /a.php /a.b/c /paper.pdf /v1.2 /x.longextensionname /.css/'],
    ['object', '/a.css /A.GIF /js/app.min.js /f.woff2 /api.json /a.b/c.png'],
  ])('by its path a %s: %s', (kind, paths) => {
    for (const path of each(paths)) expect([path, kindOfPath(path)]).toEqual([path, kind]);
  });

  it.each([
    ['object', '/wp-json/wp/v2/posts /api/v1/users /admin-ajax.php?action=x /search.ashx?q=1'],
    ['object', '/2016/01/07/post/?relatedposts=1 /?wc-ajax=x /index.php?option=com_x&format=raw'],
    ['document', '/api/fs.html /api/ /ajax-for-beginners /shop?feedback=1 /index.php?view=article'],
  ])('by its target the answer is read as %s: %s', (kind, targets) => {
    for (const target of each(targets))
      expect([target, kindOfTarget(target)]).toEqual([target, kind]);
  });

  it.each([
    [true, '/a.zip /a.deb#x /feed/ /x?page=2&feed=comments-rss2'],
    [false, '/paper.pdf /report.docx /feedback /a.zip/notes /x?feed=cats /atom'],
  ])('by its name opens no page: %s: %s', (expected, paths) => {
    for (const path of each(paths)) expect([path, isNoPage(path)]).toEqual([path, expected]);
  });

  const [html, zip, json] = ['text/html; charset=utf-8', 'application/zip', 'application/json'];
  const [bytes, css, none] = ['application/octet-stream', 'https://h/site.css?v=2', undefined];
  type Evidence = Partial<Parameters<typeof kindOfLine>[0]>;
  const kindOf = (path: string, evidence: Evidence) =>
    kindOfLine(
      { ...emptyLine(), status: 200, ...evidence },
      path === 'object' ? 'object' : 'document',
      path === 'no page',
    );

  it.each([
    ['Sec-Fetch-Dest before all else', 'iframe', html, 'document', 'object'],
    ['Sec-Fetch-Dest before the path', 'document', none, 'object', 'document'],
    ['a media type before the path', none, html, 'object', 'document'],
    ['an image', none, 'image/png', 'document', 'object'],
    ['data', none, json, 'document', 'object'],
    ['a type that tells nothing', none, bytes, 'object', 'object'],
    ['an archive', none, zip, 'document', 'not-page'],
    ['bytes', none, bytes, 'document', 'not-page'],
    ['a feed', none, 'application/rss+xml; charset=utf-8', 'document', 'not-page'],
    ['a feed navigated to', 'document', 'application/atom+xml', 'document', 'not-page'],
    ['data navigated to', 'document', json, 'document', 'not-page'],
    ['data that a script asked for', 'empty', json, 'document', 'object'],
    ['an archive that a script asked for', 'empty', zip, 'document', 'object'],
    ['HTML that a script asked for', 'empty', html, 'document', 'object'],
    ['an image navigated to', 'document', 'image/png', 'document', 'document'],
    ['a PDF', 'document', 'application/pdf', 'document', 'document'],
    ['HTML below the name of a feed', none, html, 'no page', 'document'],
    ['the name of a feed', none, none, 'no page', 'not-page'],
    ['speculation rules', 'speculationrules', html, 'document', 'not-page'],
  ])('%s', (_, fetchDestination, contentType, path, kind) => {
    expect(kindOf(path, { fetchDestination, contentType })).toBe(kind);
  });

  it('a prefetch by Link is a document; what a style sheet asks for is an object', () => {
    const byLink = { fetchDestination: 'empty', purpose: 'prefetch', contentType: html };
    expect(kindOf('document', byLink)).toBe('document');
    expect(kindOf('document', { referer: css })).toBe('object');
    expect(kindOf('document', { referer: 'https://h/page?x=.css' })).toBe('document');
  });
});

/** With all that a log may say of a request. */
const fullLine = (path: string, dest: string, referer: string, purpose = '-', robots = '-') =>
  Buffer.from(
    `a - - [01/Jan/2024:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 10 "${referer}" "${browser}" ` +
      `"${purpose}" dest="${dest}" type="text/html" host="h.example" robots="${robots}"\n`,
  );

describe('answers for one person', () => {
  const combined = (behind: string) =>
    `a - - [01/Jan/2024:00:00:00 +0000] "GET /a HTTP/1.1" 200 10 "-" "${browser}" "-" type="text/html" ${behind}\n`;
  const caddy = (headers: object, resp_headers: object) => {
    const asked = { client_ip: '192.0.2.1', method: 'GET', host: 'h', uri: '/a' };
    const request = { ...asked, headers: { 'User-Agent': [browser], ...headers } };
    return `${JSON.stringify({ ts: 1.7e9, request, status: 200, size: 1, resp_headers })}\n`;
  };
  it.each([
    ['a note of the server', combined('private="text/html"'), 0],
    ['Cache-Control', combined('caching="max-age=1, Private" private="-"'), 0],
    ['none of these', combined('caching="max-age=60" private="-"'), 1],
    ['Caddy, a cookie', caddy({}, { 'Set-Cookie': [] }), 0],
    ['Caddy, a login', caddy({ Authorization: [] }, {}), 0],
    ['Caddy, Cache-Control', caddy({}, { 'Cache-Control': ['max-age=1', 'No-Store'] }), 0],
    ['Caddy, none of these', caddy({ Cookie: [] }, { 'Cache-Control': ['max-age=60'] }), 1],
  ])('%s: %s', async (_, line, learned) => {
    expect(await accessesOf(readChunks([Buffer.from(line)]))).toHaveLength(learned);
  });
});

describe('signs that a page is shown', () => {
  const lines = [
    fullLine('/rules?url=%2Fa', 'speculationrules', 'https://h.example/a'),
    fullLine('/b', 'document', 'https://h.example/a', 'prefetch'),
    fullLine('/c', 'empty', 'https://h.example/a', 'prefetch'),
    fullLine('/d', 'document', 'https://other.example/a'),
    fullLine('/rules?url=%2Fd', 'speculationrules', 'https://other.example/d'),
    // With a Referrer-Policy the Referer names less.
    fullLine('/e?prefetchd-rules', 'speculationrules', 'https://h.example/'),
    fullLine('/f?a=1&prefetchd-rules', 'speculationrules', '-'),
    // Over plain HTTP browsers do not say what a request is for.
    fullLine('/g?prefetchd-rules', '', 'http://h.example/g'),
  ];
  const facts = async (options: ReadLogOptions) =>
    (await accessesOf(readChunks(lines, options))).map(
      ({ url, page, shown, byRules, prefetch }) => ({ url, page, shown, byRules, prefetch }),
    );
  const [page, unknown] = ['/a', undefined];

  it('are what a Referer of the same host names, and requests for rules', async () => {
    expect(await facts(withConstants({ signs: true }))).toEqual([
      { url: '/a', page: unknown, shown: true, byRules: true, prefetch: false },
      { url: '/b', page, shown: unknown, byRules: true, prefetch: true },
      { url: '/c', page, shown: unknown, byRules: false, prefetch: true },
      { url: '/d', page: unknown, shown: unknown, byRules: unknown, prefetch: false },
      { url: '/e', page: unknown, shown: true, byRules: true, prefetch: false },
      { url: '/f?a=1', page: unknown, shown: true, byRules: true, prefetch: false },
      { url: '/g', page: unknown, shown: true, byRules: true, prefetch: false },
    ]);
  });

  it('are left out unless they are asked for', async () => {
    const known = (await facts({})).map((access) => [access.url, access.page, access.shown]);
    expect(known).toEqual(['/b', '/c', '/d'].map((url) => [url, unknown, unknown]));
  });
});

describe('X-Robots-Tag in a log', () => {
  const tags = { '/a': '-', '/b': 'noindex, nofollow', '/c': 'max-snippet:9' };
  const lines = Object.entries(tags).map(([path, tag]) => fullLine(path, '', '-', '-', tag));

  it('keeps a page out of a whole log', async () => {
    const reading = readChunks(lines, {});
    expect((await accessesOf(reading)).map(({ url }) => url)).toEqual(['/a', '/c']);
    expect(reading.statistics.dropped.noindex).toBe(1);
  });

  it('is told to a service that follows the log, which withdraws the page', async () => {
    const accesses = await accessesOf(readChunks(lines, withConstants({ signs: true })));
    expect(accesses.map(({ url, noindex }) => [url, noindex])).toEqual([
      ['/a', undefined],
      ['/b', true],
      ['/c', undefined],
    ]);
  });
});

describe('the filter', () => {
  it.each([
    ['bot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
    ['bot', 'curl/8.0'],
    ['bot', ''],
    ['monitor', 'jetmon/1.0 (Jetpack Site Uptime Monitor by WordPress.com)'],
    ['monitor', 'ELB-HealthChecker/2.0'],
    ['monitor', 'kube-probe/1.28'],
    ['visitor', browser],
    ['visitor', 'Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)'],
  ])('a %s is the user agent %j', (verdict, userAgent) => {
    expect(verdictOfUserAgent(userAgent)).toBe(verdict);
  });

  it.each([
    ['robots', '/robots.txt'],
    ['monitor', '/healthz'],
    ['scan', '/wp-login.php /blog/xmlrpc.php /.env /.git/config /phpMyAdmin/index.php'],
    ['scan', '/vendor/phpunit/x /x?file=../../etc/passwd /actuator/health'],
    ['admin', '/wp-admin/admin-ajax.php /admin /administrator/index.php'],
    ['visited', '/ /administration-of-lakes /environment /health/ /products/actuator'],
    ['visited', '/docs/env.html /wp-content/uploads/x.png /constructor'],
  ])('%s by the path: %s', (verdict, paths) => {
    for (const path of each(paths)) expect([path, verdictOfPath(path)]).toEqual([path, verdict]);
  });

  it('who asked for robots.txt is a bot for a day, with the name of a browser too', async () => {
    const at = (day: number) => `0${day}/Jan/2024:00:00:00 +0000`;
    const { urls, dropped } = await read([
      { request: 'GET /before HTTP/1.1', time: at(1) },
      { request: 'GET /robots.txt HTTP/1.1', time: at(1) },
      { request: 'GET /after HTTP/1.1', time: at(1) },
      { request: 'GET /other HTTP/1.1', time: at(1), client: 'b' },
      { request: 'GET /later HTTP/1.1', time: at(3) },
    ]);
    expect(urls).toEqual(['/before', '/other', '/later']);
    expect(dropped).toEqual({ bot: 2 });
  });

  it('who tried a hole that the site does not have is scanning; a login of the site is not', async () => {
    const login = { request: 'GET /wp-login.php HTTP/1.1' };
    const page = { request: 'GET /page HTTP/1.1' };
    expect(await read([{ ...login, status: 404 }, page])).toEqual({
      urls: [],
      dropped: { scan: 2 },
    });
    expect(await read([login, page])).toEqual({ urls: ['/page'], dropped: { scan: 1 } });
  });

  it('who posts forms and fetches nothing that pages embed is a robot, a person is not', async () => {
    const form = { request: 'POST /guestbook HTTP/1.1' };
    const page = { request: 'GET /a HTTP/1.1' };
    const image = { request: 'GET /a.png HTTP/1.1' };
    const times = (count: number, ...of: Array<{ request: string }>) =>
      Array.from({ length: count }, () => of).flat();
    expect((await read([...times(5, form), page])).urls).toEqual([]);
    expect((await read([...times(6, form, image), page])).urls).toContain('/a');
    expect((await read([...times(4, form), page])).urls).toEqual(['/a']);
  });

  it('can be switched off', async () => {
    const robots = { request: 'GET /robots.txt HTTP/1.1' };
    const requests = [{ userAgent: '' }, robots, { userAgent: 'curl/8' }];
    expect((await read(requests, { filter: false })).urls).toEqual(['/', '/robots.txt', '/']);
  });
});

it('a client is its address and user agent together', async () => {
  const requests = [{}, { client: 'b' }, { userAgent: `${browser} Other/1` }, {}];
  const reading = readChunks([Buffer.from(requests.map(combined).join(''))]);
  const clients = (await accessesOf(reading)).map(({ client }) => client);
  expect(clients).toEqual([`a ${browser}`, `b ${browser}`, `a ${browser} Other/1`, `a ${browser}`]);
});

it('a million distinct URLs and clients leave the memory bounded', async () => {
  function* flood(): Generator<Uint8Array> {
    for (let block = 0; block < 1000; block++) {
      let text = '';
      for (let n = 0; n < 1000; n++) {
        text += combined({
          client: `c${block * 1000 + n}`,
          request: `GET /p${block}/${n} HTTP/1.1`,
        });
      }
      yield Buffer.from(text);
    }
  }
  let count = 0;
  let most = 0;
  for await (const batch of readChunks(flood())) {
    count += batch.length;
    most = Math.max(most, process.memoryUsage().heapUsed);
  }
  expect(count).toBe(1_000_000);
  expect(most).toBeLessThan(256 * 1024 * 1024);
});
