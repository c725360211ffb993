// Which lines become accesses, of whom, of what kind, and which the filter drops.

import { describe, expect, it } from 'vitest';
import { type ReadLogOptions, readLog } from '../../../prefetchd/log/index.ts';
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

  it.each([
    '/files/setup.EXE',
    '/dist/v1.2.tar.gz?mirror=3',
    '/logs/app.log',
    '/feed/',
    '/category/news/feed',
    '/feed/atom/',
    '/?feed=rss2',
    '/blog/index.rss',
  ])('%s opens no page: it is left out, and does not come between two pages', async (path) => {
    const requests = ['/a', path, '/b'].map((target) => ({ request: `GET ${target} HTTP/1.1` }));
    expect(await read(requests)).toEqual({ urls: ['/a', '/b'], dropped: { 'not-page': 1 } });
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

  it('URLs are normalised, and no path is special to JavaScript', async () => {
    const targets = [
      '/__proto__',
      '/constructor',
      '/a/../b#c',
      'http://Example.com/x',
      '/q?a=%7e',
      '/sp ace',
    ];
    const requests = targets.map((target) => ({ request: `GET ${target} HTTP/1.1` }));
    expect((await read(requests)).urls).toEqual([
      '/__proto__',
      '/constructor',
      '/b',
      '/x',
      '/q?a=~',
      '/sp%20ace',
    ]);
  });

  it('escapes of the log become escapes of the URL', async () => {
    expect((await read([{ request: 'GET /\\xC3\\xA9\\"x HTTP/1.1' }])).urls).toEqual([
      '/%C3%A9%22x',
    ]);
  });

  it('a quote that is not escaped does not end the request before the status does', async () => {
    expect((await read([{ request: 'GET /a"b HTTP/1.0' }])).urls).toEqual(['/a%22b']);
  });
});

describe('document or object', () => {
  it.each([
    '/',
    '/a',
    '/a.html',
    '/a.php',
    '/a.b/c',
    '/paper.pdf',
    '/v1.2',
    '/x.longextensionname',
    '/.css/',
  ])('the path %s is a document', (path) => expect(kindOfPath(path)).toBe('document'));

  it.each(['/a.css', '/A.GIF', '/js/app.min.js', '/f.woff2', '/api.json', '/a.b/c.png'])(
    'the path %s is an object',
    (path) => expect(kindOfPath(path)).toBe('object'),
  );

  it.each([
    ['/wp-json/wp/v2/posts', 'object'],
    ['/api/v1/users', 'object'],
    ['/admin-ajax.php?action=x', 'object'],
    ['/search.ashx?q=1', 'object'],
    ['/api/fs.html', 'document'],
    ['/api/', 'document'],
    ['/ajax-for-beginners', 'document'],
  ])('the answer to %s is read as %s', (target, kind) => expect(kindOfTarget(target)).toBe(kind));

  it('Sec-Fetch-Dest is believed before all else', () => {
    const line = { ...emptyLine(), contentType: 'text/html' };
    expect(kindOfLine({ ...line, fetchDestination: 'iframe' }, 'document')).toBe('object');
    expect(kindOfLine({ ...line, fetchDestination: 'document' }, 'object')).toBe('document');
  });

  it('a media type is believed before the path; one that tells nothing leaves it to the path', () => {
    const line = emptyLine();
    expect(kindOfLine({ ...line, contentType: 'text/html; charset=utf-8' }, 'object')).toBe(
      'document',
    );
    expect(kindOfLine({ ...line, contentType: 'image/png' }, 'document')).toBe('object');
    expect(kindOfLine({ ...line, contentType: 'application/json' }, 'document')).toBe('object');
    expect(kindOfLine({ ...line, contentType: 'application/octet-stream' }, 'object')).toBe(
      'object',
    );
  });

  it.each([
    ['/a.zip', true],
    ['/a.deb#x', true],
    ['/feed/', true],
    ['/x?page=2&feed=comments-rss2', true],
    ['/paper.pdf', false],
    ['/report.docx', false],
    ['/feedback', false],
    ['/a.zip/notes', false],
    ['/x?feed=cats', false],
    ['/atom', false],
  ])('by its name %s opens no page: %s', (path, expected) => {
    expect(isNoPage(path)).toBe(expected);
  });

  it.each([
    ['application/zip', undefined, 'not-page'],
    ['application/octet-stream', undefined, 'not-page'],
    ['application/rss+xml; charset=utf-8', undefined, 'not-page'],
    ['application/atom+xml', 'document', 'not-page'],
    ['application/json', 'document', 'not-page'],
    ['application/json', 'empty', 'object'],
    ['application/zip', 'empty', 'object'],
    ['image/png', 'document', 'document'],
    ['application/pdf', 'document', 'document'],
    ['text/html', 'document', 'document'],
  ])('%s for Sec-Fetch-Dest: %s is %s', (contentType, fetchDestination, kind) => {
    const line = { ...emptyLine(), status: 200, contentType, fetchDestination };
    expect(kindOfLine(line, 'document', false)).toBe(kind);
  });

  it('HTML below the name of a download or feed is a page', () => {
    const line = { ...emptyLine(), status: 200, contentType: 'text/html' };
    expect(kindOfLine(line, 'document', true)).toBe('document');
    expect(kindOfLine({ ...line, contentType: undefined }, 'document', true)).toBe('not-page');
  });

  it.each([
    ['empty', 'prefetch', 'document'],
    ['empty', undefined, 'object'],
    ['speculationrules', undefined, 'not-page'],
  ])('what is fetched for %j as a %j is a %s', (fetchDestination, purpose, kind) => {
    const contentType = 'text/html';
    const line = { ...emptyLine(), status: 200, contentType, fetchDestination, purpose };
    expect(kindOfLine(line, 'document')).toBe(kind);
  });

  it('what a style sheet asks for is an object', () => {
    expect(kindOfLine({ ...emptyLine(), referer: 'https://h/site.css?v=2' }, 'document')).toBe(
      'object',
    );
    expect(kindOfLine({ ...emptyLine(), referer: 'https://h/page?x=.css' }, 'document')).toBe(
      'document',
    );
  });
});

describe('signs that a page is shown', () => {
  const line = (path: string, dest: string, referer: string, purpose = '-') =>
    Buffer.from(
      `a - - [01/Jan/2024:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 10 "${referer}" "${browser}" ` +
        `"${purpose}" dest="${dest}" type="text/html" host="h.example"\n`,
    );
  const lines = [
    line('/rules?url=%2Fa', 'speculationrules', 'https://h.example/a'),
    line('/b', 'document', 'https://h.example/a', 'prefetch'),
    line('/c', 'empty', 'https://h.example/a', 'prefetch'),
    line('/d', 'document', 'https://other.example/a'),
    line('/rules?url=%2Fd', 'speculationrules', 'https://other.example/d'),
    // With a Referrer-Policy the Referer names less.
    line('/e?prefetchd-rules', 'speculationrules', 'https://h.example/'),
    line('/f?a=1&prefetchd-rules', 'speculationrules', '-'),
    // Over plain HTTP browsers do not say what a request is for.
    line('/g?prefetchd-rules', '', 'http://h.example/g'),
  ];
  const facts = async (options: ReadLogOptions) =>
    (await accessesOf(readChunks(lines, options))).map(
      ({ url, page, shown, byRules, prefetch }) => ({ url, page, shown, byRules, prefetch }),
    );
  const [page, unknown] = ['/a', undefined];

  it('are what a Referer of the same host names, and requests for rules', async () => {
    expect(await facts({ signs: true })).toEqual([
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
  const line = (path: string, robots: string) =>
    Buffer.from(
      `a - - [01/Jan/2024:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 10 "-" "${browser}" ` +
        `"-" dest="" type="text/html" host="h.example" robots="${robots}"\n`,
    );
  const lines = [line('/a', '-'), line('/b', 'noindex, nofollow'), line('/c', 'max-snippet:9')];

  it('keeps a page out of a whole log', async () => {
    const reading = readChunks(lines, {});
    expect((await accessesOf(reading)).map(({ url }) => url)).toEqual(['/a', '/c']);
    expect(reading.statistics.dropped.noindex).toBe(1);
  });

  it('is told to a service that follows the log, which withdraws the page', async () => {
    const accesses = await accessesOf(readChunks(lines, { signs: true }));
    expect(accesses.map(({ url, noindex }) => [url, noindex])).toEqual([
      ['/a', undefined],
      ['/b', true],
      ['/c', undefined],
    ]);
  });
});

describe('the filter', () => {
  it.each([
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', 'bot'],
    ['curl/8.0', 'bot'],
    ['', 'bot'],
    ['jetmon/1.0 (Jetpack Site Uptime Monitor by WordPress.com)', 'monitor'],
    ['ELB-HealthChecker/2.0', 'monitor'],
    ['kube-probe/1.28', 'monitor'],
    [browser, 'visitor'],
    ['Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)', 'visitor'],
  ])('user agent %j is a %s', (userAgent, verdict) => {
    expect(verdictOfUserAgent(userAgent)).toBe(verdict);
  });

  it.each([
    ['/robots.txt', 'robots'],
    ['/healthz', 'monitor'],
    ['/wp-login.php', 'scan'],
    ['/blog/xmlrpc.php', 'scan'],
    ['/.env', 'scan'],
    ['/.git/config', 'scan'],
    ['/phpMyAdmin/index.php', 'scan'],
    ['/vendor/phpunit/x', 'scan'],
    ['/x?file=../../etc/passwd', 'scan'],
    ['/wp-admin/admin-ajax.php', 'admin'],
    ['/admin', 'admin'],
    ['/administrator/index.php', 'admin'],
    ['/', 'visited'],
    ['/administration-of-lakes', 'visited'],
    ['/environment', 'visited'],
    ['/health/', 'visited'],
    ['/products/actuator', 'visited'],
    ['/actuator/health', 'scan'],
    ['/docs/env.html', 'visited'],
    ['/wp-content/uploads/x.png', 'visited'],
    ['/constructor', 'visited'],
  ])('path %s is %s', (path, verdict) => {
    expect(verdictOfPath(path)).toBe(verdict);
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
    const requests = [
      { userAgent: '' },
      { request: 'GET /robots.txt HTTP/1.1' },
      { userAgent: 'curl/8' },
    ];
    expect((await read(requests, { filter: false })).urls).toEqual(['/', '/robots.txt', '/']);
  });

  it('a log without user agents is not a log of bots', async () => {
    const text = 'a - - [01/Jan/2024:00:00:00 +0000] "GET / HTTP/1.0" 200 1\n';
    expect((await accessesOf(readChunks([Buffer.from(text)])))[0]?.client).toBe('a');
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

it('readLog of nothing gives nothing', async () => {
  expect(await accessesOf(readLog([]))).toEqual([]);
});
