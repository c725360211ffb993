// /v1/headers and /v1/mirror, as web servers in front ask them.

import { expect, it } from 'vitest';
import { parseLinks } from '../../../prefetchd/wire/link-header.ts';
import { ask, type Running, running, runningTaught } from './ask.ts';

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

function visit(service: Running, path: string, url: string, more: Record<string, string> = {}) {
  return service.get(path, {
    'X-Original-URI': url,
    'X-Real-IP': '198.51.100.7',
    'User-Agent': firefox,
    Accept: 'text/html',
    ...more,
  });
}

/** Fields of a prefetch by speculation rules. */
const byRules = { 'Sec-Purpose': 'prefetch', 'Sec-Fetch-Dest': 'document' };

it('/v1/headers answers 204 with ready response fields, which read back', async () => {
  await using service = await runningTaught();
  const { status, headers } = await visit(service, '/v1/headers', '/a');
  expect(status).toBe(204);
  const base = 'https://example.org/a';
  expect(parseLinks(headers.link, base)[0]).toMatchObject({ url: 'https://example.org/b' });
  expect(headers['speculation-rules']).toBe('"/v1/speculation-rules?url=%2Fa"');
});

it('/v1/speculation-rules: visitors who are held back get none, though they do not name themselves', async () => {
  const prefetchd = { holdback: 50, otherLinks: 'moderate' } as const;
  await using service = await runningTaught({ prefetchd });
  const seen = new Set<boolean>();
  for (let last = 1; last < 40; last++) {
    const address = `198.51.100.${last}`;
    const fields = { 'X-Real-IP': address, 'User-Agent': firefox };
    const { headers, json } = await service.get('/v1/speculation-rules?url=/a', fields);
    const isHeldBack = service.prefetchd.isHeldBack(`${address} ${firefox}`);
    seen.add(isHeldBack);
    expect([address, json.prefetch.length]).toEqual([address, isHeldBack ? 0 : 2]);
    expect(headers['cache-control']).toBe('private, max-age=60');
  }
  expect(seen.size).toBe(2);
  const site = await service.get('/v1/speculation-rules?url=/a', { 'User-Agent': firefox });
  expect(site.json.prefetch).toHaveLength(2);
});

it('/v1/headers?pages=rules: Link names objects, and rules name pages', async () => {
  await using service = await running();
  for (const client of ['one', 'two', 'three']) {
    const way = ['/a', '/a.css', '/b'].map((url) => ({ client, url }));
    await service.post('/v1/accesses', way);
  }
  const { headers } = await visit(service, '/v1/headers?pages=rules', '/a');
  expect(headers.link).toMatch(/^<\/a\.css>; rel=preload; as=style/);
  expect(headers.link).not.toContain('/b');
  expect(headers['speculation-rules']).toBe('"/v1/speculation-rules?url=%2Fa"');
  const usual = await visit(service, '/v1/headers', '/a', { 'X-Real-IP': '198.51.100.8' });
  expect(usual.headers.link).toContain('</b>; rel=prefetch');
});

it('/v1/headers: a page that is prefetched by rules has rules, with or without hints', async () => {
  await using service = await running();
  const rules = async (more: Record<string, string>) =>
    (await visit(service, '/v1/headers', '/z', more)).headers['speculation-rules'];
  expect(await rules(byRules)).toBe('"/v1/speculation-rules?url=%2Fz"');
  expect(await rules({ ...byRules, 'Sec-Fetch-Dest': 'empty' })).toBeUndefined();
  expect(await rules({})).toBeUndefined();
});

it.each([
  ['Save-Data', { 'Save-Data': 'on' }],
  ['a bot', { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }],
  ['who is logged in by HTTP', { Authorization: 'Basic eA==' }],
  ['a POST', { 'X-Original-Method': 'POST' }],
  ['a frame', { 'Sec-Fetch-Dest': 'iframe' }],
])('/v1/headers gives no hints to %s', async (_, more) => {
  await using service = await runningTaught();
  const { status, headers } = await visit(service, '/v1/headers', '/a', more as never);
  expect([status, headers.link]).toEqual([204, undefined]);
});

it('never answers with an error: wrong host, wrong token, no fields, any method, a fault', async () => {
  await using open = await running();
  await using locked = await running({ service: { token: 'a-token-of-the-tests' } });
  const load = () => {
    throw new Error('a fault');
  };
  await using broken = await running({ prefetchd: { load } });
  for (const path of ['/v1/headers', '/v1/mirror']) {
    expect((await visit(open, path, '/a', { Host: 'evil.example' })).status).toBe(204);
    expect((await visit(locked, path, '/a')).status).toBe(204);
    expect((await open.get(path)).status).toBe(204);
    expect((await visit(open, path, '//evil.example/')).status).toBe(204);
    expect((await visit(open, path, '*')).status).toBe(204);
    expect((await visit(broken, path, '/a')).status).toBe(204);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH']) {
      const headers = { 'X-Original-URI': '/a' };
      const { status } = await ask(open.url, path, { method, headers, body: '{"not read"' });
      expect([path, method, status]).toEqual([path, method, 204]);
    }
  }
  expect(open.prefetchd.stats().learned.document).toBe(0);
});

it('what is refused is counted', async () => {
  await using service = await running();
  await visit(service, '/v1/headers', '/a', { Host: 'evil.example' });
  const counted = 'prefetchd_requests_refused_total{reason="host-refused"} 1';
  expect((await service.get('/metrics')).text).toContain(counted);
});

it('/v1/mirror learns what eligibility lets through, and counts what not', async () => {
  await using service = await running();
  await visit(service, '/v1/mirror', '/a');
  await visit(service, '/v1/mirror', '/b');
  await visit(service, '/v1/mirror', '/c', { 'Sec-Purpose': 'prefetch;prerender' });
  await visit(service, '/v1/mirror', '/d', { 'User-Agent': 'curl/8' });
  await visit(service, '/v1/mirror', '/cart/delete');
  const { learned, notLearned } = service.prefetchd.stats();
  expect(learned).toEqual({ document: 2, object: 0 });
  expect(notLearned).toEqual({ prefetch: 1, bot: 1, denied: 1 });
  const { hints } = (await service.get('/v1/hints?url=/a')).json;
  expect(hints).toEqual([{ url: '/b', probability: 1, kind: 'document' }]);
});

it('/v1/prefetch-beacon makes a visit known that came from a cache; the script is beside it', async () => {
  await using service = await running();
  for (const page of ['/a', '/b']) await visit(service, '/v1/mirror', page);
  const sender = { 'User-Agent': firefox, 'X-Real-IP': '198.51.100.20' };
  const told = (body: unknown, headers = {}) =>
    service.post('/v1/prefetch-beacon', body, {
      ...{ 'X-Original-URI': '/prefetch-beacon', ...sender, ...headers },
    });
  const shown = (page: string) => ({ moment: 'shown', page, navigation: 'navigate' });
  for (const page of ['/a', '/b', '/unknown', '/logout']) {
    expect((await told(shown(page))).status).toBe(204);
  }
  expect(service.prefetchd.stats().learned).toEqual({ document: 4, object: 0 });
  const wrong = [{}, { ...shown('/a'), page: '//evil.example' }, 'x'.repeat(5000)];
  for (const body of wrong) expect((await told(body)).status).toBe(204);
  await told(shown('/a'), { 'X-Original-URI': '' });
  await told(shown('/a'), { 'Sec-Fetch-Site': 'cross-site' });
  expect(service.prefetchd.stats().learned.document).toBe(4);
  const { text } = await service.get('/v1/prefetch-beacon.js');
  expect(text).toContain("new URL('prefetch-beacon', me.src)");
});

it('a request that a page of this site could send without being asked is none: X-Original-URI is missing', async () => {
  await using service = await running();
  await ask(service.url, '/v1/mirror?/a', { headers: { 'User-Agent': firefox } });
  expect(service.prefetchd.stats().notLearned).toEqual({ malformed: 1 });
});

it('fields of Traefik and Caddy (X-Forwarded-*) say the same', async () => {
  await using service = await running({ prefetchd: { origin: 'https://example.org' } });
  const fields = {
    'X-Forwarded-Uri': '/a',
    'X-Forwarded-Method': 'GET',
    'X-Forwarded-Host': 'example.org',
    'X-Forwarded-For': '198.51.100.7',
    'User-Agent': firefox,
  };
  await service.get('/v1/mirror', fields);
  await service.get('/v1/mirror', { ...fields, 'X-Forwarded-Host': 'other.example' });
  const { learned, notLearned } = service.prefetchd.stats();
  expect([learned.document, notLearned]).toEqual([1, { 'cross-origin': 1 }]);
});

it("with a token, Authorization is this service's and X-Original-Authorization the visitor's", async () => {
  await using service = await running({ service: { token: 'a-token-of-the-tests' } });
  const Authorization = 'Bearer a-token-of-the-tests';
  await visit(service, '/v1/mirror', '/a', { Authorization });
  const loggedIn = { Authorization, 'X-Original-Authorization': 'Basic x' };
  await visit(service, '/v1/mirror', '/a', loggedIn);
  const { learned, notLearned } = service.prefetchd.stats();
  expect([learned.document, notLearned]).toEqual([1, { authorization: 1 }]);
});

/** A visitor is told from another by what they have: of what one fetched no hint to it is counted. */
async function sameVisitor(service: Running, a: Record<string, string>, b: Record<string, string>) {
  await visit(service, '/v1/mirror', '/b', a);
  await visit(service, '/v1/headers', '/a', b);
  return service.prefetchd.stats().hints.given === 0;
}

const trusted = ['loopback', '10.0.0.0/8'];
const by = (address: string) => ({ 'X-Real-IP': address });
const over = (hop: string) => ({ ...by(''), 'X-Forwarded-For': `${hop}, 203.0.113.1, 10.0.0.9` });

it.each([
  ['X-Real-IP', by('203.0.113.1'), by('203.0.113.2'), false, trusted],
  ['X-Forwarded-For, its nearest untrusted hop', over('9.9.9.9'), over('8.8.8.8'), true, trusted],
  ['only what is an address', by('forged'), by('forged too'), true, trusted],
  ['its own where callers are not trusted', by('203.0.113.1'), by('203.0.113.2'), true, []],
])('the address of a visitor is %s', async (_, a, b, same, trustProxy) => {
  await using service = await runningTaught({ service: { trustProxy } });
  expect(await sameVisitor(service, a, b)).toBe(same);
});

it('a page that is shown (Referer) makes its hint of use', async () => {
  await using service = await runningTaught();
  const host = { 'X-Original-Host': 'example.org' };
  await visit(service, '/v1/headers', '/a', host);
  await visit(service, '/v1/mirror', '/b', { ...host, 'Sec-Purpose': 'prefetch' });
  expect(service.prefetchd.stats().hints).toMatchObject({ taken: 1, used: 0 });
  const Referer = 'http://example.org/b';
  await visit(service, '/v1/mirror', '/i.png', { ...host, Referer, Accept: 'image/*' });
  expect(service.prefetchd.stats().hints).toMatchObject({ taken: 1, used: 1 });
});

it('/v1/mirror: a request for the rules of a page says that it is shown, which is the visit of a prefetch', async () => {
  await using service = await running();
  const rules = { 'X-Original-Host': 'example.org', 'Sec-Fetch-Dest': 'speculationrules' };
  const shown = (page: string, more: Record<string, string> = {}) =>
    visit(service, '/v1/mirror', `/v1/speculation-rules?url=${encodeURIComponent(page)}`, {
      ...{ ...rules, Accept: '*/*', Referer: `http://example.org${page}`, ...more },
    });
  const learned = () => service.prefetchd.stats().learned;
  const dropped = () => service.prefetchd.stats().notLearned;
  await visit(service, '/v1/mirror', '/a');
  // Of a page that was requested to be shown, it says nothing new.
  await shown('/a');
  expect(learned()).toEqual({ document: 1, object: 0 });
  await visit(service, '/v1/mirror', '/b', byRules);
  expect(learned()).toEqual({ document: 1, object: 0 });
  await shown('/b');
  await shown('/b');
  expect(learned()).toEqual({ document: 2, object: 0 });
  // Of a page that nobody prefetched it is no visit, nor is one that names no page of this host, or a robot's.
  await shown('/never-requested');
  expect(dropped()).toEqual({ prefetch: 1, shown: 4 });
  await shown('/c', { Referer: 'http://other.example/c' });
  await shown('/c', { Referer: '' });
  await shown('/b', { 'User-Agent': 'curl/8' });
  await shown('/logout');
  const others = { 'cross-origin': 1, 'not-page': 1, bot: 1, denied: 1 };
  expect(dropped()).toEqual({ prefetch: 1, shown: 4, ...others });
  expect(learned()).toEqual({ document: 2, object: 0 });
});

it('/v1/mirror: rules at the own URL of a page tell of it whatever the Referer is', async () => {
  await using service = await running();
  await visit(service, '/v1/mirror', '/b', byRules);
  const Referer = 'http://example.org/';
  const rules = { 'X-Original-Host': 'example.org', 'Sec-Fetch-Dest': 'speculationrules', Referer };
  await visit(service, '/v1/mirror', '/b?prefetchd-rules', rules);
  expect(service.prefetchd.stats().learned).toEqual({ document: 1, object: 0 });
  // Over plain HTTP a browser does not say what it asks for; it is no visit of another page either.
  const plain = { 'X-Original-Host': 'example.org', Accept: '*/*', Referer };
  await visit(service, '/v1/mirror', '/b?prefetchd-rules', plain);
  const { learned, notLearned } = service.prefetchd.stats();
  expect([learned.document, notLearned.shown, notLearned.query ?? 0]).toEqual([1, 2, 0]);
});

it('/v1/speculation-rules: a trial hints to a visitor on this machine whom the web server names', async () => {
  await using service = await running({ prefetchd: { trial: true } });
  const from = (address: string) => ({ 'X-Original-Host': 'example.org', 'X-Real-IP': address });
  await visit(service, '/v1/mirror', '/a', from('127.0.0.1'));
  await visit(service, '/v1/mirror', '/b', from('127.0.0.1'));
  const rulesFor = async (address: string) => {
    const headers = { ...from(address), 'X-Original-URI': '/a?prefetchd-rules' };
    return (await ask(service.url, '/v1/speculation-rules', { headers })).text;
  };
  expect(await rulesFor('127.0.0.1')).toContain('"/b"');
  expect(await rulesFor('203.0.113.9')).not.toContain('"/b"');
});

it('/v1/speculation-rules: X-Original-URI names the page, which no shared cache keeps', async () => {
  await using service = await runningTaught();
  const rulesAt = (target: string) =>
    ask(service.url, '/v1/speculation-rules', { headers: { 'X-Original-URI': target } });
  const usual = await ask(service.url, '/v1/speculation-rules?url=/a');
  const { status, headers, text } = await rulesAt('/a?prefetchd-rules');
  expect([status, text]).toEqual([200, usual.text]);
  expect(headers['cache-control']).toBe('no-cache');
  // A web server judged the first path of these, and URL parsers read the second.
  for (const target of [
    ...['/open\\..\\a', '/open/../a', '/open/%2e%2e/a', '//open/a', '/a#', '/\ta', 'http://x/a'],
    ...['/a&prefetchd-rules#', '/a?', '/a?b#'],
  ]) {
    for (const behind of ['?prefetchd-rules', '&prefetchd-rules']) {
      expect([target, (await rulesAt(target + behind)).status]).toEqual([target, 400]);
    }
  }
  expect((await rulesAt('/a')).status).toBe(400);
});

it('/v1/page-rules sends nginx to its own location, whatever a visitor says', async () => {
  await using service = await running();
  const headers = { 'X-Original-URI': '/a?prefetchd-rules', Host: 'example.org', Cookie: 'a=b' };
  const said = await ask(service.url, '/v1/page-rules?nginx', { headers });
  expect([said.status, said.headers['x-accel-redirect']]).toEqual([204, '/_prefetchd/rules']);
});

it('respectGpc: who sends Sec-GPC gets hints, of no particular visitor, and is not learned', async () => {
  await using service = await runningTaught({ service: { respectGpc: true } });
  const gpc = { 'Sec-GPC': '1' };
  const { learned, notLearned } = service.prefetchd.stats();
  for (let time = 0; time < 2; time++) {
    const { headers } = await visit(service, '/v1/headers', '/a', gpc);
    expect(headers.link).toContain('</b>');
    await visit(service, '/v1/mirror', '/b', gpc);
  }
  expect(service.prefetchd.stats().learned).toEqual(learned);
  expect(service.prefetchd.stats().notLearned).toEqual({ ...notLearned, gpc: 2 });
});

it.each([
  ['X-Forwarded-For', (client: string) => `${client}:4711`],
  ['X-Forwarded-For', (client: string) => `[2001:db8:${client.at(-1)}::1]:4711`],
  ['X-Real-IP', (client: string) => `${client}:4711`],
  ['Forwarded', (client: string) => `for="${client}:4711";proto=https`],
])('/v1/mirror: visitors told apart by %s, a port and all', async (name, told) => {
  await using service = await running();
  for (const client of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
    for (const url of ['/a', '/b']) {
      const named = { 'X-Real-IP': '', [name]: told(client), 'X-Original-Host': 'example.org' };
      const more = url === '/b' ? { Referer: 'http://example.org/a' } : {};
      await visit(service, '/v1/mirror', url, { ...named, ...more });
    }
  }
  expect(service.prefetchd.stats().notLearned).toEqual({});
  expect(service.prefetchd.hints({ url: '/a' }).map(({ url }) => url)).toEqual(['/b']);
});

it.each([
  ['X-Forwarded-Prefix', {}, { 'X-Forwarded-Prefix': '/shop' }],
  ['the option', { prefix: '/shop' }, {}],
])('a site below a path that a proxy takes away, by %s', async (name, service_, more) => {
  await using service = await runningTaught({ service: service_ });
  const { headers } = await visit(service, '/v1/headers', '/a', more as Record<string, string>);
  expect(headers.link).toMatch(/^<\/shop\/b>/);
  const path = '/shop/v1/speculation-rules?url=%2Fshop%2Fa';
  expect(headers['speculation-rules']).toBe(`"${path}"`);
  const rules = await service.get(path.slice('/shop'.length), more as Record<string, string>);
  expect(rules.json.prefetch[0].urls).toEqual(['/shop/b']);
  expect(rules.headers.vary).toBe(name === 'the option' ? undefined : 'X-Forwarded-Prefix');
  const other = '/v1/speculation-rules?url=%2Fblog';
  expect((await service.get(other, more as Record<string, string>)).status).toBe(400);
});
