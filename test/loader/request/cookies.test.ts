// Cookies (RFC 6265) as requests show them: kept from response to request and from page to page.

import { describe, expect, it } from 'vitest';
import { createFetch, createLoader, type LoaderOptions, loadPage } from '../../../loader/index.ts';
import { Cookies, type SameSiteContext } from '../../../loader/request/cookies.ts';
import fc from '../../support/property.ts';
import { answering, type RawServer, response } from '../../support/raw-server.ts';

/** Answers each path with its HTML and its Set-Cookie fields, one line each. */
function site(answers: Record<string, { html?: string; cookies?: string[] }>): Promise<RawServer> {
  return answering(({ path }, connection) => {
    const { html = '', cookies = [] } = answers[path] ?? {};
    const fields = cookies.map((cookie) => `Set-Cookie: ${cookie}\r\n`).join('');
    const head = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${html.length}\r\n`;
    connection.write(`${head}${fields}\r\n${html}`);
  });
}

function sent(server: RawServer): Record<string, string | undefined> {
  return Object.fromEntries(server.requests.map(({ path, headers }) => [path, headers.cookie]));
}

/** Names of the cookies in a field. */
const namesIn = (field: string) =>
  field
    .split('; ')
    .map((pair) => pair.split('=')[0])
    .sort();

describe('on one page', () => {
  it.each<[string, LoaderOptions, path: string, set: string[], sent?: string]>([
    ['what the root sets', {}, '/', ['one=1', 'two=2; Path=/'], 'one=1; two=2'],
    ['none, if switched off', { cookies: false }, '/', ['one=1']],
    ['longer paths first (RFC 6265 5.4)', {}, '/a/b', ['x=1; Path=/', 'x=2; Path=/a'], 'x=2; x=1'],
    [
      'none of a domain that is not the server’s (RFC 6265 5.3)',
      {},
      '/',
      ['evil=1; Domain=other.example', 'worse=1; Domain=1', 'own=1'],
      'own=1',
    ],
  ])('with an image goes %s', async (_, options, path, cookies, image) => {
    await using server = await site({ [path]: { html: '<img src=/a/c>', cookies } });
    await loadPage(server.origin + path, options);
    expect(sent(server)).toEqual({ [path]: undefined, '/a/c': image });
  });

  it('go by path (RFC 6265 5.1.4)', async () => {
    await using server = await site({
      '/dir/page': {
        html: '<img src=/dir/a><img src=/dir/sub/b><img src=/directory/c><img src=/d>',
        cookies: ['default=1', 'sub=1; Path=/dir/sub', 'all=1; Path=/', 'odd=1; Path=nonsense'],
      },
    });
    await loadPage(`${server.origin}/dir/page`);
    const names = (path: string) => namesIn(sent(server)[path] ?? '');
    expect(names('/dir/a')).toEqual(['all', 'default', 'odd']);
    expect(names('/dir/sub/b')).toEqual(['all', 'default', 'odd', 'sub']);
    expect(names('/directory/c')).toEqual(['all']);
    expect(names('/d')).toEqual(['all']);
  });

  it('a host’s own cookie does not go to another host', async () => {
    await using server = await site({ '/': {} });
    const { port } = server;
    await using first = await site({
      '/': { html: `<img src=http://localhost:${port}/a>`, cookies: ['own=1'] },
    });
    await loadPage(`${first.origin}/`);
    expect(sent(server)).toEqual({ '/a': undefined });
  });

  it('goes to another port of its host: cookies do not know ports (RFC 6265 8.5)', async () => {
    await using other = await site({});
    await using server = await site({
      '/': { html: `<img src=${other.origin}/a>`, cookies: ['own=1'] },
    });
    await loadPage(`${server.origin}/`);
    expect(sent(other)).toEqual({ '/a': 'own=1' });
  });

  it('expired ones are gone at once, also those that were there (RFC 6265 5.3)', async () => {
    await using server = await site({
      '/': { cookies: ['a=1', 'b=1', 'c=1'] },
      '/2': {
        html: '<img src=/x>',
        cookies: ['a=; Max-Age=0', 'b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT', 'd=1; Max-Age=-1'],
      },
    });
    await using loader = createLoader();
    await loader.load(`${server.origin}/`);
    await loader.load(`${server.origin}/2`);
    expect(sent(server)['/x']).toBe('c=1');
  });
});

describe('from page to page', () => {
  it('a loader keeps them, another loader does not have them', async () => {
    await using server = await site({ '/': { cookies: ['session=7'] } });
    await using loader = createLoader();
    await loader.load(`${server.origin}/`);
    await loader.load(`${server.origin}/next`);
    await loadPage(`${server.origin}/fresh`);
    expect(sent(server)).toEqual({ '/': undefined, '/next': 'session=7', '/fresh': undefined });
  });

  it('an image may set one too', async () => {
    await using server = await site({
      '/': { html: '<img src=/pixel>' },
      '/pixel': { cookies: ['seen=1; Path=/'] },
    });
    await using loader = createLoader();
    await loader.load(`${server.origin}/`);
    await loader.load(`${server.origin}/next`);
    expect(sent(server)['/next']).toBe('seen=1');
  });
});

describe('the jar', () => {
  function header(setCookie: string, from: string, to: string): string {
    const cookies = new Cookies(true);
    cookies.store(setCookie, new URL(from), 'strict');
    return cookies.header(new URL(to), 'strict');
  }

  const long = (bytes: number) => `/${'x'.repeat(bytes - 1)}`;
  const [tls, clear] = ['https://site.com/', 'http://site.com/'];
  type Row = [rule: string, cookie: string, from: string, to: string, sent: string];
  const ownOf = (rule: string, sent: Record<string, string>): Row[] =>
    Object.entries(sent).map(([cookie, value]) => [rule, cookie, tls, tls, value]);
  const betweenHosts = (rule: string, rows: [string, string, string, string][]): Row[] =>
    rows.map(([domain, from, to, sent]) => [
      rule,
      `a=1${domain}`,
      `https://${from}/`,
      `https://${to}/`,
      sent,
    ]);

  it.each<Row>([
    ['Secure: to TLS (RFC 6265 5.4)', 'a=1; Secure', tls, `${tls}x`, 'a=1'],
    ['Secure: not to clear text', 'a=1; Secure', tls, `${clear}x`, ''],
    ['a prefix from clear text (RFC 6265bis 4.1.3)', '__Secure-a=1; Secure', clear, tls, ''],
    ...ownOf('no name: its value goes alone (RFC 6265bis 5.6, 5.8.3)', {
      noequals: 'noequals',
      '=noname': 'noname',
      '  = noname ; Path=/': 'noname',
      '=': '',
      '; Path=/': '',
      '=a=b': '',
      '__Secure-a': '',
      '=__host-a': '',
    }),
    ...ownOf('a prefix in any case (RFC 6265bis 5.7, steps 20 and 21)', {
      '__host-a=1; Path=/; Secure': '__host-a=1',
      '__HOST-a=1; Path=/': '',
      '__host-a=1; Path=/; Secure; Domain=site.com': '',
      '__host-a=1; Secure': '',
      '__secure-a=1; Secure': '__secure-a=1',
      '__SECURE-a=1': '',
    }),
    ...betweenHosts('Domain reaches subdomains, its absence does not (RFC 6265 5.1.3)', [
      ['; Domain=site.com', 'www.site.com', 'img.site.com', 'a=1'],
      ['; Domain=.site.com', 'www.site.com', 'site.com', 'a=1'],
      ['', 'site.com', 'www.site.com', ''],
      ['; Domain=www.site.com', 'site.com', 'www.site.com', ''],
      ['; Domain=site.com', 'notsite.com', 'site.com', ''],
    ]),
    ...betweenHosts('nobody sets a cookie for all of a suffix (RFC 6265 5.3, 5)', [
      ['; Domain=com', 'one.com', 'two.com', ''],
      ['; Domain=co.uk', 'one.co.uk', 'two.co.uk', ''],
      ['; Domain=github.io', 'one.github.io', 'two.github.io', ''],
    ]),
    ...[
      'localhost:80',
      '127.0.0.1',
      '[::1]',
      'a.localhost',
      'site.example',
      'intranet',
      'site.test',
    ]
      .map((host) => `http://${host}/`)
      .map((url): Row => ['of a host alone', 'a=1', url, url, 'a=1']),
    // A Path or Domain of over 1,024 bytes is as none (RFC 6265bis 5.6, step 6).
    ['a long path', `a=1; Path=${long(1025)}`, `${tls}dir/p`, `${tls}dir/q`, 'a=1'],
    ['a path that may be', `a=1; Path=${long(1024)}`, `${tls}dir/p`, `${tls}dir/q`, ''],
    ['a long domain', `a=1; Domain=${'x.'.repeat(600)}site.com`, tls, tls, 'a=1'],
  ])('%s: %s of %s to %s goes as "%s"', (_, cookie, from, to, sent) => {
    expect(header(cookie, from, to)).toBe(sent);
  });

  it.each(['http://a..b/', 'http://site.com./', 'http://xn--bcher-kva.example/'])(
    'works, or keeps nothing, on %s',
    (url) => expect(['a=1', '']).toContain(header('a=1', url, url)),
  );

  it('whatever is in Set-Cookie: no exception, and a Cookie value that can be sent (RFC 9110 5.5)', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...['a=b', ';', 'Path=', 'Domain=', '127.0.0.1', 'Max-Age=', 'Expires=', 'Secure'],
        ...['\u00e9', '\u{1f600}', '\n'],
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        expect(header(pieces.join(''), 'http://127.0.0.1/', 'http://127.0.0.1/x')).toMatch(
          /^[\t\x20-\x7e\u0080-\u{10ffff}]*$/u,
        );
      }),
    );
  });
});

describe('too many', () => {
  const url = new URL('https://site.com/');
  const jar = (...lines: string[]): Cookies => {
    const cookies = new Cookies(true);
    for (const line of lines) cookies.store(line, url, 'strict');
    return cookies;
  };
  const names = (cookies: Cookies) => namesIn(cookies.header(url, 'strict'));
  const many = Array.from({ length: 50 }, (_, index) => `c${index}=1; Secure`);

  it('of one domain: a 51st takes the place of the one that was used least lately (6265bis 5.7)', () => {
    const cookies = jar(...many, 'new=1; Secure');
    expect(names(cookies)).toHaveLength(50);
    expect(names(cookies)).toContain('new');
    expect(names(cookies)).not.toContain('c0');
  });

  it('those without Secure go before those with it', () => {
    const cookies = jar(...many.slice(1), 'plain=1', 'new=1; Secure');
    expect(names(cookies)).not.toContain('plain');
    expect(names(cookies)).toContain('c1');
  });

  it('an update and a deletion work at the limit: a session can be rotated and ended', () => {
    const cookies = jar(...many, 'c7=rotated; Secure', 'c8=; Max-Age=0; Secure');
    expect(cookies.header(url, 'strict')).toContain('c7=rotated');
    expect(names(cookies)).toHaveLength(49);
    expect(names(cookies)).not.toContain('c8');
  });

  it('of all domains: bounded', () => {
    const cookies = new Cookies(true);
    const sites = Array.from({ length: 6_100 }, (_, index) => new URL(`https://s${index}.com/`));
    for (const site of sites) cookies.store('a=1', site, 'strict');
    const kept = sites.filter((site) => cookies.header(site, 'strict') !== '');
    expect(kept.length).toBeLessThanOrEqual(6_000);
    expect(kept.at(-1)).toBe(sites.at(-1));
  });

  it('a long attribute makes no cookie too long; name and value do (6265bis 5.6)', () => {
    const cookies = jar(`a=1; Comment=${'x'.repeat(5_000)}`, `b=${'x'.repeat(4_096)}`);
    expect(names(cookies)).toEqual(['a']);
  });
});

describe('SameSite', () => {
  const url = new URL('https://site.com/');
  const named = [
    'strict=1; SameSite=Strict',
    'lax=1; SameSite=Lax',
    'none=1; SameSite=None; Secure',
  ];
  const all = [...named, 'bare=1', 'odd=1; SameSite=Odd'];
  const kept = (lines: string[], stored: SameSiteContext, sent: SameSiteContext) => {
    const cookies = new Cookies(true);
    for (const line of lines) cookies.store(line, url, stored);
    return namesIn(cookies.header(url, sent));
  };

  it('decides what is sent; without it, or with a word nobody knows, Lax counts (6265bis 5.8.3)', () => {
    expect(kept(all, 'strict', 'strict')).toEqual(['bare', 'lax', 'none', 'odd', 'strict']);
    expect(kept(all, 'strict', 'lax')).toEqual(['bare', 'lax', 'none', 'odd']);
    expect(kept(all, 'strict', 'none')).toEqual(['none']);
  });

  it('decides what is kept: a part of another site’s page sets None only (6265bis 5.7)', () => {
    expect(kept(all, 'none', 'strict')).toEqual(['none']);
    expect(kept(all, 'lax', 'strict')).toEqual(['bare', 'lax', 'none', 'odd', 'strict']);
  });

  it('None without Secure is not kept (6265bis 5.7)', () => {
    expect(kept(['a=1; SameSite=None'], 'strict', 'strict')).toEqual(['']);
  });

  it('clear text does not overwrite a Secure cookie (6265bis 5.7)', () => {
    const cookies = new Cookies(true);
    cookies.store('a=secret; Secure', url, 'strict');
    cookies.store('a=forged', new URL('http://site.com/'), 'strict');
    cookies.store('a=forged; Domain=site.com', new URL('http://www.site.com/'), 'strict');
    expect(cookies.header(url, 'strict')).toBe('a=secret');
    cookies.store('a=rotated; Secure', url, 'strict');
    expect(cookies.header(url, 'strict')).toBe('a=rotated');
  });

  it('on a page: what is of another site, in its host or its scheme, sends and sets none of these', async () => {
    const set = ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax', 'bare=1'];
    await using third = await site({
      '/': { cookies: set },
      '/third.gif': { cookies: ['planted=1'] },
    });
    const there = third.origin.replace('127.0.0.1', 'localhost');
    await using server = await site({ '/': { html: `<img src=${there}/third.gif>` } });
    await using loader = createLoader();
    await loader.load(`${there}/`);
    await loader.load(`${server.origin}/`);
    await loader.load(`${there}/again`);
    expect(sent(third)).toEqual({
      '/': undefined,
      '/third.gif': undefined,
      '/again': 'strict=1; lax=1; bare=1',
    });
  });

  const redirecting = (there: string, status: string) =>
    answering((_request, connection) =>
      connection.write(response('', { Location: `${there}/to` }, status)),
    );

  it('a page that another one redirects to gets all: the user asked for it himself', async () => {
    await using target = await site({ '/': { cookies: ['strict=1; SameSite=Strict'] } });
    const there = target.origin.replace('127.0.0.1', 'localhost');
    await using server = await redirecting(there, '302 Found');
    await using loader = createLoader();
    await loader.load(`${there}/`);
    await loader.load(server.origin);
    expect(sent(target)['/to']).toBe('strict=1');
  });

  it.each([
    ['GET', 'lax=1'],
    ['POST', undefined],
  ])('createFetch: %s redirected by another site sends %s', async (method, cookie) => {
    const set = ['strict=1; SameSite=Strict', 'lax=1; SameSite=Lax'];
    await using target = await site({ '/': { cookies: set } });
    const there = target.origin.replace('127.0.0.1', 'localhost');
    await using server = await redirecting(there, '307 Temporary Redirect');
    await using fetch = createFetch({ cookies: true });
    await (await fetch(`${there}/`)).text();
    await (await fetch(`${there}/own`)).text();
    await (await fetch(server.origin, { method })).text();
    expect(sent(target)).toMatchObject({ '/own': 'strict=1; lax=1' });
    expect(sent(target)['/to']).toBe(cookie);
  });
});
