// What goes on the wire with a request, seen by a server that records it.

import { describe, expect, it } from 'vitest';
import { createLoader, type LoaderOptions, loadPage } from '../../../loader/index.ts';
import { resolveOptions } from '../../../loader/options.ts';
import type { ResourceKind } from '../../../loader/page-load.ts';
import { type RequestContext, requestHeaders } from '../../../loader/request/request-headers.ts';
import { acceptEncoding } from '../../../loader/response/content-coding.ts';
import { numberedImage } from '../../support/image-page.ts';
import { answering, type RawServer, response, type SeenRequest } from '../../support/raw-server.ts';

const defaults = resolveOptions();

/** A site with a page of the given HTML; everything else on it is a small GIF. */
function site(html = '', headers: Record<string, string> = {}): Promise<RawServer> {
  return answering(({ path }, connection) => {
    const isPage = path === '/' || path.startsWith('/page');
    const body = isPage ? html : numberedImage(3).body;
    connection.write(response(body, isPage ? { 'Content-Type': 'text/html', ...headers } : {}));
  });
}

function seen(server: RawServer, path: string): SeenRequest {
  const request = server.requests.find((each) => each.path === path);
  if (request === undefined) throw new Error(`no request for ${path}`);
  return request;
}

describe('minimal headers', () => {
  it('an image costs at most 150 bytes, with a path as long as a real one', async () => {
    await using server = await site('<img src="/images/layout/front-page-banner-2.gif">');
    const load = await loadPage(`${server.origin}/`);
    expect(load.totals.errors).toBe(0);
    const image = seen(server, '/images/layout/front-page-banner-2.gif');
    expect(image.bytes).toBeLessThanOrEqual(150);
    expect(Object.keys(image.headers)).toEqual(['host', 'connection', 'user-agent']);
    expect(image.headers['user-agent']).toBe(defaults.userAgent);
  });

  it('codings are accepted where they help: not for images, but for SVG', async () => {
    await using server = await site(
      '<link rel=stylesheet href=/a.css><script src=/b.js></script><img src=/c.gif><img src=/d.svg>',
    );
    await loadPage(`${server.origin}/`);
    const codings = (path: string) => seen(server, path).headers['accept-encoding'];
    for (const path of ['/', '/a.css', '/b.js', '/d.svg'])
      expect(codings(path)).toBe(acceptEncoding);
    expect(codings('/c.gif')).toBeUndefined();
  });

  it('no Referer, no Accept, no Accept-Language', async () => {
    await using server = await site('<img src=/a>');
    await loadPage(`${server.origin}/`);
    for (const { headers } of server.requests) {
      for (const name of ['referer', 'accept', 'accept-language', 'sec-fetch-site']) {
        expect(headers[name]).toBeUndefined();
      }
    }
  });

  it.each([
    ['of extraHeaders goes to every origin', 'mine/1', 'mine/1'],
    ['that is empty is not sent', '', undefined],
  ])('a user agent %s', async (_what, userAgent, sent) => {
    await using other = await site();
    await using server = await site(`<img src=${other.origin}/c.gif>`);
    await loadPage(`${server.origin}/`, { extraHeaders: { 'User-Agent': userAgent } });
    expect(seen(server, '/').headers['user-agent']).toBe(sent);
    expect(seen(other, '/c.gif').headers['user-agent']).toBe(sent);
  });

  it('what the record says was sent is what was sent', async () => {
    await using server = await site('<img src=/a>', { 'Set-Cookie': 'a=b' });
    const load = await loadPage(`${server.origin}/`, {
      headers: 'browser',
      extraHeaders: { 'X-A': 'b' },
    });
    for (const row of load.resources) {
      const { host, connection, ...sent } = seen(server, new URL(row.url).pathname).headers;
      expect(host).toBe(new URL(server.origin).host);
      expect(connection).toBe('keep-alive');
      expect(Object.fromEntries(row.requestHeaders)).toEqual(sent);
    }
  });
});

describe('browser headers, as Chromium 156 sends them', () => {
  const userAgent = 'Mozilla/5.0 test';
  const extraHeaders = { 'User-Agent': userAgent };
  const brands = '"Not:A-Brand";v="8", "Chromium";v="156"';
  const html = '<link rel=stylesheet href=/a.css><script src=/b.js></script><img src=/c.gif>';

  it('to a trustworthy URL, in Chromium’s order', async () => {
    await using server = await site(html);
    await loadPage(`${server.origin}/page?q`, { headers: 'browser', extraHeaders });
    const host = new URL(server.origin).host;
    const own = { host, connection: 'keep-alive' };
    const tail = { 'accept-encoding': acceptEncoding, 'accept-language': 'en-US,en;q=0.9' };
    const pairs = (path: string) => Object.entries(seen(server, path).headers);
    expect(pairs('/page?q')).toEqual(
      Object.entries({
        ...own,
        'sec-ch-ua': brands,
        'sec-ch-ua-mobile': '?0',
        'sec-ch-ua-platform': '"Linux"',
        'upgrade-insecure-requests': '1',
        'user-agent': userAgent,
        accept:
          'text/html,application/xhtml+xml,application/xml;q=0.9,image/jxl,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
        'sec-fetch-site': 'none',
        'sec-fetch-mode': 'navigate',
        'sec-fetch-user': '?1',
        'sec-fetch-dest': 'document',
        ...tail,
      }),
    );
    const sub = (accept: string, dest: string) =>
      Object.entries({
        ...own,
        'sec-ch-ua-platform': '"Linux"',
        'user-agent': userAgent,
        'sec-ch-ua': brands,
        'sec-ch-ua-mobile': '?0',
        accept,
        'sec-fetch-site': 'same-origin',
        'sec-fetch-mode': 'no-cors',
        'sec-fetch-dest': dest,
        referer: `${server.origin}/page?q`,
        ...tail,
      });
    expect(pairs('/a.css')).toEqual(sub('text/css,*/*;q=0.1', 'style'));
    expect(pairs('/b.js')).toEqual(sub('*/*', 'script'));
    expect(pairs('/c.gif')).toEqual(
      sub('image/jxl,image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'image'),
    );
  });

  it.each([
    ['http://127.0.0.1/', true],
    ['http://127.8.9.10:81/', true],
    ['http://localhost/', true],
    ['http://a.localhost/', true],
    ['http://[::1]/', true],
    ['https://site.example/', true],
    ['http://site.example/', false],
    ['http://notlocalhost/', false],
    ['http://127.0.0.1.site.example/', false],
    ['http://10.0.0.1/', false],
  ])(
    'Sec-Fetch and Sec-CH-UA go to potentially trustworthy URLs only (Secure Contexts 3.1): %s %s',
    (url, trusted) => {
      const headers = headersFor({ url: new URL(url) }, { headers: 'browser' });
      const ofTrusted = [...headers.keys()].filter((name) => /^sec-/.test(name));
      expect(ofTrusted.length).toBe(trusted ? 7 : 0);
    },
  );

  it.each([
    ['http://127.0.0.1:2/', 'http://127.0.0.1:2/x', 'same-origin'],
    ['http://127.0.0.1:2/', 'http://127.0.0.1:3/x', 'same-site'],
    ['https://a.site.example/', 'https://b.site.example/', 'same-site'],
    ['https://a.co.uk/', 'https://b.co.uk/', 'cross-site'],
    ['https://a.github.io/', 'https://b.github.io/', 'cross-site'],
    ['http://site.example/', 'https://site.example/', 'cross-site'],
    ['https://site.example/', 'https://other.example/', 'cross-site'],
    ['https://127.0.0.1/', 'https://127.0.0.2/', 'cross-site'],
    ['https://localhost/', 'https://localhost:8/', 'same-site'],
    ['https://[::1]/', 'https://[::2]/', 'cross-site'],
  ])('Sec-Fetch-Site from %s to %s: %s (Fetch Metadata 3.2)', (page, url, site) => {
    const context = { page: new URL(page), url: new URL(url), kind: 'image' as const };
    expect(headersFor(context, { headers: 'browser' }).get('sec-fetch-site')).toBe(site);
  });

  it('the page’s Referrer-Policy header rules its references', async () => {
    await using server = await site(html, { 'Referrer-Policy': 'unknown, origin, also-unknown' });
    await loadPage(`${server.origin}/page?q`, { headers: 'browser' });
    expect(seen(server, '/c.gif').headers.referer).toBe(`${server.origin}/`);
  });

  it.each([
    ['Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36', '140', '?0', 'Linux'],
    ['Mozilla/5.0 (Linux; Android 10; K) Chrome/141.0.0.0 Mobile', '141', '?1', 'Android'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/142.0.0.0', '142', '?0', 'Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/143.0.0.0', '143', '?0', 'macOS'],
    ['loadahead/0.1', '156', '?0', 'Linux'],
  ])('client hints say what the User-Agent says: %s', (userAgent, version, mobile, platform) => {
    const headers = headersFor(
      { url: new URL('https://a.test/') },
      { headers: 'browser', extraHeaders: { 'User-Agent': userAgent } },
    );
    expect(headers.get('sec-ch-ua')?.split(', ')).toContain(`"Chromium";v="${version}"`);
    expect(headers.get('sec-ch-ua')).toMatch(/^"[^"]+";v="\d+", "[^"]+";v="\d+"$/);
    expect(headers.get('sec-ch-ua-mobile')).toBe(mobile);
    expect(headers.get('sec-ch-ua-platform')).toBe(`"${platform}"`);
  });

  it('crossorigin: Origin is sent, and cookies only with use-credentials or to the own origin', async () => {
    await using other = await site('', { 'Set-Cookie': 'there=1' });
    await using server = await site(
      `<img src=/own crossorigin><img src=${other.origin}/bare crossorigin>
      <img src=${other.origin}/with crossorigin=use-credentials><img src=${other.origin}/plain>`,
      { 'Set-Cookie': 'here=1' },
    );
    for (const headers of ['browser', 'minimal'] as const) {
      await using loader = createLoader({ headers });
      await loader.load(`${other.origin}/`);
      await loader.load(`${server.origin}/`);
      const last = (path: string) =>
        [...server.requests, ...other.requests].findLast((each) => each.path === path)?.headers;
      // (Cookies know no ports: both servers' cookies are of one host.)
      expect(last('/own')?.cookie).toContain('here=1');
      expect(last('/bare')?.cookie).toBeUndefined();
      expect(last('/with')?.cookie).toContain('there=1');
      expect(last('/plain')?.cookie).toContain('there=1');
      const isBrowser = headers === 'browser';
      expect(last('/bare')?.origin).toBe(isBrowser ? server.origin : undefined);
      expect(last('/plain')?.origin).toBeUndefined();
    }
  });
});

describe('the user’s own fields', () => {
  it('go to the page’s origin and nowhere else', async () => {
    await using other = await site();
    await using server = await site(`<img src=/own.gif><img src=${other.origin}/foreign.gif>`);
    const extraHeaders = { Authorization: 'Bearer secret', 'X-Debug': '1' };
    const load = await loadPage(`${server.origin}/`, { extraHeaders });
    expect(load.totals.errors).toBe(0);
    expect(seen(server, '/').headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-debug': '1',
    });
    expect(seen(server, '/own.gif').headers).toMatchObject({ authorization: 'Bearer secret' });
    expect(seen(other, '/foreign.gif').headers).not.toHaveProperty('authorization');
    expect(seen(other, '/foreign.gif').headers).not.toHaveProperty('x-debug');
  });

  it('do not follow the page to another origin', async () => {
    await using other = await site('<img src=/x.gif>');
    await using server = await answering((_request, connection) => {
      connection.write(response('', { Location: `${other.origin}/` }, '302 Found'));
    });
    const load = await loadPage(`${server.origin}/`, { extraHeaders: { Authorization: 'secret' } });
    expect(seen(server, '/').headers.authorization).toBe('secret');
    expect(other.requests.map(({ path }) => path)).toEqual(['/', '/x.gif']);
    for (const { headers } of other.requests) expect(headers).not.toHaveProperty('authorization');
    expect(load.totals.errors).toBe(0);
  });

  it('do not follow an image to another origin, and come back with one that comes back', async () => {
    await using other = await answering((_request, connection) => {
      connection.write(response('', { Location: `${home}/back.gif` }, '302 Found'));
    });
    await using server = await answering(({ path }, connection) => {
      if (path === '/') connection.write(response('<img src=/a>', { 'Content-Type': 'text/html' }));
      else if (path !== '/a') connection.write(response('x'));
      else connection.write(response('', { Location: `${other.origin}/` }, '302 Found'));
    });
    const home = server.origin;
    await loadPage(`${home}/`, { extraHeaders: { Authorization: 'secret' } });
    expect(seen(server, '/a').headers.authorization).toBe('secret');
    expect(seen(other, '/').headers).not.toHaveProperty('authorization');
    expect(seen(server, '/back.gif').headers.authorization).toBe('secret');
  });

  it('override ours of the same name, in any case, and may repeat', async () => {
    await using server = await site();
    await loadPage(`${server.origin}/`, {
      extraHeaders: [
        ['User-Agent', 'mine'],
        ['ACCEPT-ENCODING', 'gzip'],
        ['Cookie', 'own=1'],
        ['x-many', 'one'],
        ['x-many', 'two'],
      ],
    });
    const [connection] = server.connections;
    const head = Buffer.concat(connection?.segments ?? [])
      .toString('latin1')
      .toLowerCase();
    expect(head.match(/user-agent: /g)).toHaveLength(1);
    expect(head).toContain('user-agent: mine\r\n');
    expect(head.match(/accept-encoding: /g)).toHaveLength(1);
    expect(head.match(/x-many: (one|two)\r\n/g)).toEqual(['x-many: one\r\n', 'x-many: two\r\n']);
  });

  it('bytes above ASCII go out as they are (RFC 9110 5.5, obs-text)', async () => {
    await using server = await site();
    await loadPage(`${server.origin}/`, { extraHeaders: { 'x-name': 'é\u0080' } });
    expect(seen(server, '/').headers['x-name']).toBe('é\u0080');
  });

  const injections: Array<[string, LoaderOptions]> = [
    ['CR LF in a value', { extraHeaders: { 'x-a': 'b\r\nx-evil: 1' } }],
    ['LF in a value', { extraHeaders: { 'x-a': 'b\nx-evil: 1' } }],
    ['CR in a value', { extraHeaders: { 'x-a': 'b\rx-evil: 1' } }],
    ['NUL in a value', { extraHeaders: { 'x-a': 'b\0' } }],
    ['a code point that ends in the byte of LF', { extraHeaders: { 'x-a': 'b\u010ax-evil: 1' } }],
    ['CR LF in a name', { extraHeaders: { 'x-a: b\r\nx-evil': '1' } }],
    ['a colon in a name', { extraHeaders: { 'x-a:': '1' } }],
    ['a space in a name', { extraHeaders: { 'x a': '1' } }],
    ['an empty name', { extraHeaders: [['', '1']] }],
    ['DEL in a value', { extraHeaders: { 'x-a': 'x\x7f' } }],
  ];
  it.each(injections)(
    '%s is refused before anything is sent (RFC 9110 5.5)',
    async (_what, options) => {
      await using server = await site();
      const refusal = { code: 'invalid-option' };
      await expect(loadPage(`${server.origin}/`, options)).rejects.toMatchObject(refusal);
      expect(() => createLoader(options)).toThrow(expect.objectContaining(refusal));
      expect(server.connections).toHaveLength(0);
    },
  );

  const ofConnections =
    'Host connection Content-Length transfer-encoding UPGRADE keep-alive Proxy-Connection expect TE Trailer HTTP2-Settings';
  it.each(ofConnections.split(' '))('%s of the connection is refused (RFC 9110 7.6.1)', (name) => {
    expect(() => resolveOptions({ extraHeaders: { [name]: 'x' } })).toThrow(
      expect.objectContaining({ code: 'invalid-option', message: expect.stringContaining(name) }),
    );
  });

  it('a URL cannot inject either: it is percent-encoded', async () => {
    await using server = await site('<img src="/a b%0d%0ax-evil: 1&#13;&#10;x-evil: 2">');
    await loadPage(`${server.origin}/`);
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/',
      '/a%20b%0d%0ax-evil:%201x-evil:%202',
    ]);
    expect(server.requests.every(({ headers }) => !('x-evil' in headers))).toBe(true);
  });
});

function headersFor(context: Partial<RequestContext>, options: LoaderOptions): Map<string, string> {
  const kind: ResourceKind = 'document';
  const whole: RequestContext = {
    url: new URL('http://site.example/'),
    kind,
    askedOrigin: 'http://site.example',
    page: null,
    referrer: context.page ?? null,
    referrerPolicy: 'strict-origin-when-cross-origin',
    cookie: '',
    ...context,
  };
  return new Map(requestHeaders(whole, resolveOptions(options)));
}
