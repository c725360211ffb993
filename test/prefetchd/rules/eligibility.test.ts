// Who gets no hints, and what is never learned: one test a rule, with its section.

import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { kindOfDocument } from '../../../prefetchd/rules/access-kind.ts';
import {
  clientOf,
  type DropReason,
  dropReasons,
  type EligibilityOptions,
  eligibilityRules,
  type HeaderFields,
  isPrefetch,
  judgeRequest,
  judgeResponse,
  kindOfRequest,
} from '../../../prefetchd/rules/eligibility.ts';

const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const visitor: IncomingHttpHeaders = { host: 'site.example', 'user-agent': userAgent };
const ask = (
  change: { method?: string; url?: string; headers?: IncomingHttpHeaders },
  options?: EligibilityOptions,
) =>
  judgeRequest(
    { method: 'GET', url: '/page', ...change, headers: { ...visitor, ...change.headers } },
    options && eligibilityRules(options),
  );
const both = (reason: DropReason | null) => ({ learn: reason, hint: reason });
const answer = (status: number, headers: HeaderFields = {}) => judgeResponse({ status, headers });

describe('requests', () => {
  it('a visitor’s GET is learned and gets hints', () => {
    expect(ask({})).toEqual(both(null));
    expect(ask({ url: '/search?q=a' })).toEqual(both(null));
    const headers = { cookie: 'a=b', referer: 'https://else.example/' };
    expect(ask({ headers })).toEqual(both(null));
  });

  it.each(['HEAD', 'POST', 'OPTIONS', 'get', ''])('%s is no visit', (method) => {
    expect(ask({ method })).toEqual(both('method'));
  });

  it.each([
    ['sec-purpose', 'prefetch'],
    ['sec-purpose', 'prefetch;prerender'],
    ['sec-purpose', 'prefetch;anonymous-client-ip'],
    ['sec-purpose', 'Prerender'],
    ['purpose', 'prefetch'],
    ['x-moz', 'prefetch'],
    ['x-purpose', 'preview'],
  ])('a client that guesses itself teaches nothing: %s: %s (Fetch 3.2)', (name, value) => {
    expect(ask({ headers: { [name]: value } })).toEqual({ learn: 'prefetch', hint: null });
    expect(isPrefetch({ [name]: [value] })).toBe(true);
    expect(isPrefetch({ [name]: 'prefetching' })).toBe(false);
  });

  it('what the log’s filter drops by path is dropped here', () => {
    expect(ask({ url: '/robots.txt' })).toEqual(both('bot'));
    expect(ask({ url: '/healthz' })).toEqual(both('monitor'));
    expect(ask({ url: '/.env' })).toEqual(both('scan'));
    expect(ask({ url: '/wp-admin/' })).toEqual(both('admin'));
  });

  it('Authorization: the answer is for one person (RFC 9111 3.5)', () => {
    expect(ask({ headers: { authorization: 'Basic x' } })).toEqual(both('authorization'));
  });

  it('the deny list, in any spelling', () => {
    expect(ask({ url: '/%6cogout' })).toEqual(both('denied'));
    expect(ask({ url: '/page?action=logout' })).toEqual(both('denied'));
    expect(ask({ url: '/page' }, { deny: { extra: ['/page'] } })).toEqual(both('denied'));
    expect(ask({ url: '/logout' }, { deny: { allow: ['/logout'] } })).toEqual(both(null));
  });

  it.each(['*', '//evil.example/', '/\\evil.example', 'evil.example:443', '', 'ftp://x/'])(
    'a target that is no URL of a page: %j',
    (url) => {
      expect(ask({ url })).toEqual(both('url'));
    },
  );

  it('an absolute target of another host (RFC 9112 3.2.2)', () => {
    expect(ask({ url: 'http://site.example/page' })).toEqual(both(null));
    expect(ask({ url: 'http://evil.example/page' })).toEqual(both('cross-origin'));
    const options = { origin: 'https://site.example' };
    const headers = { host: 'inner:8080' };
    expect(ask({ url: 'https://SITE.example:443/page', headers }, options)).toEqual(both(null));
    expect(ask({ url: 'https://inner:8080/page', headers }, options)).toEqual(both('cross-origin'));
  });

  it('a Host that is not the site’s, where the site has said its origin', () => {
    const options = { origin: 'https://site.example' };
    expect(ask({ headers: { host: 'Site.Example:443' } }, options)).toEqual(both(null));
    for (const host of ['site.example:8443', 'evil.example', 'evil.example@site.example']) {
      expect(ask({ headers: { host } }, options)).toEqual(both('cross-origin'));
    }
    expect(ask({ headers: { host: 'evil.example' } })).toEqual(both(null));
    const h2 = { host: undefined, ':authority': 'evil.example' };
    expect(ask({ headers: h2 }, options)).toEqual(both('cross-origin'));
  });

  it('an object that another site embeds; a document reached from there is an entrance', () => {
    const from = (site: string, destination: string) =>
      ask({ headers: { 'sec-fetch-site': site, 'sec-fetch-dest': destination } });
    expect(from('cross-site', 'image')).toEqual(both('cross-origin'));
    expect(from('cross-site', 'iframe')).toEqual(both('cross-origin'));
    expect(from('cross-site', 'document')).toEqual(both(null));
    expect(from('same-site', 'image')).toEqual(both(null));
  });

  it('Save-Data: learned, no hints', () => {
    expect(ask({ headers: { 'save-data': 'on' } })).toEqual({ learn: null, hint: 'save-data' });
    expect(ask({ headers: { 'save-data': 'off' } })).toEqual(both(null));
  });

  it.each(['iframe', 'frame', 'embed', 'object'])('a frame (%s): learned, no hints', (frame) => {
    const headers = { 'sec-fetch-dest': frame, 'sec-fetch-site': 'same-origin' };
    expect(ask({ headers })).toEqual({ learn: null, hint: 'nested' });
    expect(kindOfRequest(headers, '/page')).toBe('object');
  });

  it('names of the prototype are no fields', () => {
    const headers = JSON.parse(`{"__proto__":{"authorization":"x"},"user-agent":"${userAgent}"}`);
    expect(judgeRequest({ method: 'GET', url: '/', headers })).toEqual(both(null));
    expect(judgeRequest({ method: 'GET', url: '/', headers: {} })).toEqual(both('bot'));
  });
});

it('Sec-GPC is ignored unless the site respects it', () => {
  const rules = { respectGpc: true };
  expect(ask({ headers: { 'sec-gpc': '1' } })).toEqual(both(null));
  expect(ask({ headers: { 'sec-gpc': '1' } }, rules)).toEqual({ learn: 'gpc', hint: null });
  expect(ask({ headers: { 'sec-gpc': '0' } }, rules)).toEqual(both(null));
});

describe('responses', () => {
  it.each([200, 203, 206, 299, 304])('%i is a page that the client has', (status) => {
    expect(answer(status)).toBeNull();
  });

  it.each([100, 103, 199, 300, 301, 302, 307, 404, 410, 500, 503, Number.NaN])(
    '%d is none',
    (status) => {
      expect(answer(status)).toBe('status');
    },
  );

  it('Set-Cookie: the response is about one person', () => {
    expect(answer(200, { 'set-cookie': ['a=b'] })).toBe('set-cookie');
    expect(answer(304, { 'set-cookie': 'a=b' })).toBe('set-cookie');
    expect(answer(200, { 'set-cookie': [] })).toBeNull();
  });

  it.each<[string | string[], DropReason | null]>([
    ['private', 'private'],
    ['max-age=60, Private', 'private'],
    ['private="x-field"', 'private'],
    ['PRIVATE = "a, b"', 'private'],
    ['no-store', 'no-store'],
    ['public,no-store', 'no-store'],
    [['public', 'No-Store'], 'no-store'],
    ['ext="closed", a="b", ext="private, no-store', 'private'],
    ['max-age=60', null],
    ['no-cache', null],
    ['no-cache="set-cookie, private"', null],
    ['ext="private, no-store"', null],
    ['ext="say \\"private, no-store"', null],
    ['x-private, privately', null],
    ['', null],
    [' , ,=,;,', null],
    [`max-age=1${' '.repeat(5000)}`, 'no-store'],
  ])('Cache-Control: %.60s (RFC 9111 5.2.2)', (value, reason) => {
    expect(answer(200, { 'cache-control': value })).toBe(reason);
  });

  it.each<[string | string[], DropReason | null]>([
    ['noindex', 'noindex'],
    ['none', 'noindex'],
    ['nofollow, NoIndex', 'noindex'],
    ['googlebot: noindex, nofollow', 'noindex'],
    ['otherbot: nofollow, googlebot:none', 'noindex'],
    [['nofollow', 'bingbot: noindex'], 'noindex'],
    ['all', null],
    ['nofollow, nosnippet', null],
    ['noindexer: all', null],
    ['max-image-preview: none-of-it', null],
    ['unavailable_after: 25 Jun 2030 15:00:00 PST', null],
    ['', null],
  ])('X-Robots-Tag: %s', (value, reason) => {
    expect(answer(200, { 'x-robots-tag': value })).toBe(reason);
    const headers = { 'x-robots-tag': value };
    expect(judgeResponse({ status: 200, headers, kind: 'object' })).toBeNull();
  });

  it('Vary: * can be used for no other request (RFC 9110 12.5.5)', () => {
    expect(answer(200, { vary: '*' })).toBe('vary');
    expect(answer(200, { vary: ['Accept', 'Cookie, *'] })).toBe('vary');
    expect(answer(200, { vary: 'Accept, Cookie' })).toBeNull();
  });

  it('numbers as node:http takes them', () => {
    const headers: OutgoingHttpHeaders = { 'content-length': 5, vary: '*' };
    expect(answer(200, headers)).toBe('vary');
    expect(answer(200, { 'cache-control': 7 })).toBeNull();
  });
});

describe('a prefetch', () => {
  const guess = { 'sec-purpose': 'prefetch' };

  it.each([
    ['url', { url: '*' }, {}],
    ['bot', {}, { 'user-agent': 'Googlebot' }],
    ['denied', { url: '/logout' }, {}],
    ['authorization', {}, { authorization: 'x' }],
    ['nested', {}, { 'sec-fetch-dest': 'iframe' }],
    ['save-data', {}, { 'save-data': 'on' }],
  ])('gets no hints where a visit gets none (%s), and is never learned', (hint, asked, more) => {
    const headers = { ...guess, ...more };
    expect(ask({ ...asked, headers })).toEqual({ learn: 'prefetch', hint });
  });

  it('by a link (Sec-Fetch-Dest: empty) is of the kind that its Accept asks for', () => {
    const link = { 'sec-fetch-dest': 'empty', accept: 'text/html,*/*;q=0.8' };
    expect(kindOfRequest({ ...link, ...guess }, '/page')).toBe('document');
    expect(kindOfRequest({ ...link, ...guess, accept: '*/*' }, '/a.png')).toBe('object');
    expect(kindOfRequest(link, '/page')).toBe('object');
  });
});

describe('dropReasons', () => {
  it('holds every reason, in the order in which they are looked for', () => {
    const guess = { purpose: 'prefetch' };
    const part = { status: 206, contentType: 'text/html', isNavigation: true, isNoPagePath: false };
    const notPage = kindOfDocument(part) === 'not-page' ? 'not-page' : null;
    const examples: Record<DropReason, DropReason | null> = {
      method: ask({ method: 'HEAD', url: '*', headers: guess }).learn,
      gpc: ask({ url: '*', headers: { 'sec-gpc': '1', ...guess } }, { respectGpc: true }).learn,
      prefetch: ask({ url: '*', headers: guess }).learn,
      url: ask({ url: '*', headers: { 'user-agent': 'Pingdom' } }).learn,
      'cross-origin': ask({ url: 'http://x/', headers: { 'user-agent': 'Pingdom' } }).learn,
      monitor: ask({ url: '/.env', headers: { 'user-agent': 'Pingdom' } }).learn,
      bot: ask({ url: '/.env', headers: { 'user-agent': 'Googlebot' } }).learn,
      scan: ask({ url: '/.env', headers: { authorization: 'x' } }).learn,
      admin: ask({ url: '/admin', headers: { authorization: 'x' } }).learn,
      authorization: ask({ url: '/logout', headers: { authorization: 'x' } }).learn,
      denied: ask({ url: '/logout', headers: { 'sec-fetch-dest': 'iframe' } }).hint,
      nested: ask({ headers: { 'sec-fetch-dest': 'iframe', 'save-data': 'on' } }).hint,
      'save-data': ask({ headers: { 'save-data': 'on' } }).hint,
      status: answer(404, { 'set-cookie': 'a' }),
      'set-cookie': answer(200, { 'set-cookie': 'a', 'cache-control': 'private' }),
      private: answer(200, { 'cache-control': 'no-store, private' }),
      'no-store': answer(200, { 'cache-control': 'no-store', vary: '*' }),
      vary: answer(200, { vary: '*', 'x-robots-tag': 'none' }),
      noindex: answer(200, { 'x-robots-tag': 'none' }),
      'not-page': notPage,
    };
    expect(Object.values(examples)).toEqual(dropReasons);
    expect(Object.keys(examples)).toEqual(dropReasons);
  });
});

describe('kindOfRequest', () => {
  it.each([
    [{ 'sec-fetch-dest': 'document' }, '/a.png', 'document'],
    [{ 'sec-fetch-dest': 'empty', accept: 'text/html' }, '/a', 'object'],
    [{ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }, '/a.png', 'document'],
    [{ accept: 'image/avif,image/webp,*/*;q=0.8' }, '/a', 'object'],
    [{ accept: 'text/css,*/*;q=0.1' }, '/a', 'object'],
    [{ accept: '*/*' }, '/a.js?v=/x', 'object'],
    [{ accept: '*/*' }, '/a?b.js', 'document'],
    [{}, 'http://site.example/a.css', 'object'],
    [{}, '/', 'document'],
  ] as const)('%j %s is a(n) %s', (headers, url, kind) => {
    expect(kindOfRequest(headers, url)).toBe(kind);
  });
});

it('an IPv4 address seen through IPv6 is the same client', () => {
  expect(clientOf('::ffff:192.0.2.1', 'a')).toBe(clientOf('192.0.2.1', 'a'));
});
