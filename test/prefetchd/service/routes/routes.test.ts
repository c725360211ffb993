// What each endpoint answers, over real connections.

import { expect, it } from 'vitest';
import { withConstants } from '../../../../options/options.ts';
import { tellingLog } from '../../../support/telling-log.ts';
import { access, ask, running, runningTaught } from '../ask.ts';

it('POST /v1/accesses takes one access, a list, or {accesses}, and counts what was learned', async () => {
  await using service = await running();
  const one = await service.post('/v1/accesses', access('a x', '/a'));
  expect([one.status, one.json]).toEqual([200, { learned: 1, notLearned: {}, errors: [] }]);
  const list = await service.post('/v1/accesses', [access('a x', '/b'), access('a x', '/logout')]);
  expect(list.json).toEqual({ learned: 1, notLearned: { denied: 1 }, errors: [] });
  const wrapped = await service.post('/v1/accesses', { accesses: [access('a x', '/c')] });
  expect(wrapped.json.learned).toBe(1);
  expect(service.prefetchd.stats().learned).toEqual({ document: 3, object: 0 });
});

it('malformed accesses are told with their places; the others are learned', async () => {
  await using service = await running();
  const body = [access('a x', '/a'), { client: 'a x' }, access('a x', 'ftp://elsewhere/'), 7];
  const { status, json } = await service.post('/v1/accesses', body);
  expect([status, json.learned, json.notLearned]).toEqual([200, 1, { malformed: 3 }]);
  expect(json.errors).toMatchObject([{ place: 'accesses[1].url' }, { place: 'accesses[3]' }]);
  expect(service.prefetchd.stats().notLearned).toEqual({ malformed: 3 });
});

it('more accesses than the limit are refused whole, with 413', async () => {
  await using service = await running({ service: withConstants({ maxAccesses: 2 }) });
  const body = ['/a', '/b', '/c'].map((url) => access('a x', url));
  const { status, json } = await service.post('/v1/accesses', body);
  expect([status, json.code]).toEqual([413, 'too-large']);
  expect(service.prefetchd.stats().learned.document).toBe(0);
});

it('POST /v1/hints learns the access and answers with its hints', async () => {
  await using service = await runningTaught();
  const { json } = await service.post('/v1/hints', access('four x', '/a'));
  const probability = expect.closeTo(3 / 4, 3); // the access itself counts
  expect(json).toEqual({ hints: [{ url: '/b', probability, kind: 'document' }] });
  expect(service.prefetchd.stats().learned.document).toBe(7);
});

it('POST /v1/hints gives hints for a prefetch, and none where the answer was an error', async () => {
  await using service = await runningTaught();
  for (const more of [{ prefetch: true }, { status: 404 }]) {
    const { status, json } = await service.post('/v1/hints', access('four x', '/a', more));
    expect([status, json.hints.length]).toEqual([200, 'prefetch' in more ? 1 : 0]);
  }
});

it('threshold, limit and kind are of one question: by parameter, by field, or in a wrapping', async () => {
  await using service = await runningTaught();
  await service.post('/v1/accesses', [access('five x', '/a'), access('five x', '/c')]);
  service.prefetchd.tune({ threshold: 0.5 });
  const count = async (query: string, body: object) =>
    (await service.post(`/v1/hints${query}`, body)).json.hints.length;
  const page = (n: number) => access(`asks${n} x`, '/a');
  expect(await count('', page(1))).toBe(1);
  expect(await count('?threshold=0.1', page(2))).toBe(2);
  expect(await count('?threshold=0.1&limit=1', page(3))).toBe(1);
  expect(await count('?threshold=0.1&limit=inf', page(4))).toBe(2);
  expect(await count('', { ...page(5), threshold: 0.1 })).toBe(2);
  expect(await count('', { access: page(6), threshold: 0.1, limit: 1 })).toBe(1);
  expect(await count('', { access: page(7), kind: 'object' })).toBe(0);
  expect(await count('?kind=object', page(8))).toBe(0);
  expect(await count('?threshold=1', { ...page(9), threshold: 0.1 })).toBe(0);
});

it('a wrong setting is refused before anything is learned', async () => {
  await using service = await running();
  const cases = 'threshold=x threshold=-1 threshold=7 limit=0 limit=1.5 kind=page p=0.4';
  for (const query of `${cases} limit=1&limit=2`.split(' ')) {
    const { status, json } = await service.post(`/v1/hints?${query}`, access('a x', '/a'));
    expect([query, status, json.code]).toEqual([query, 400, 'invalid-request']);
  }
  const field = await service.post('/v1/hints', access('a x', '/a', { limit: 'many' }));
  const message = 'limit must be a whole number from 1 to 10000, or null, not the string "many"';
  expect(field.json.detail).toBe(message);
  expect(service.prefetchd.stats().learned.document).toBe(0);
});

it('POST /v1/hints is about one access', async () => {
  await using service = await running();
  const one = access('a x', '/a');
  for (const body of [[one], { accesses: [one] }, { access: [one] }, []]) {
    expect((await service.post('/v1/hints', body)).status).toBe(400);
  }
});

it('GET /v1/hints learns nothing, gives one list to all, and counts it for who asks', async () => {
  await using service = await runningTaught();
  const { learned } = service.prefetchd.stats();
  const ask = async (query: string) => {
    const { status, text } = await service.get(`/v1/hints?url=/a${query}`);
    expect([query, status]).toEqual([query, 200]);
    return text;
  };
  const forNobody = await ask('');
  expect(JSON.parse(forNobody).hints).toHaveLength(1);
  expect(await ask('&client=one%20x')).toBe(forNobody); // it has /b
  expect(JSON.parse(await ask('&kind=object')).hints).toHaveLength(0);
  expect((await service.get('/v1/hints')).json.detail).toMatch(/^url must be/);
  const { given } = service.prefetchd.stats().hints;
  expect(await ask('&shared=true')).toBe(forNobody);
  expect(await ask('&client=one%20x&shared=true')).toBe(forNobody); // it has /b
  expect(service.prefetchd.stats()).toMatchObject({ learned, hints: { given } });
  expect(await ask('&client=four%20x&shared=true')).toBe(forNobody);
  expect(service.prefetchd.stats().hints).toMatchObject({ given: given + 1, used: 0 });
  await service.post('/v1/accesses', access('four x', '/b'));
  expect(service.prefetchd.stats().hints).toMatchObject({ given: given + 1, used: 1 });
});

it.each([
  ['shared=', 'shared must be true or false, not ""'],
  ['shared=1', 'shared must be true or false, not "1"'],
  ['shared=TRUE', 'shared must be true or false, not "TRUE"'],
  ['shared=true&shared=true', 'parameter shared occurs twice'],
])('GET /v1/hints?%s is refused, and nothing is counted', async (query, detail) => {
  await using service = await runningTaught();
  const { given } = service.prefetchd.stats().hints;
  const { status, json } = await service.get(`/v1/hints?url=/a&client=four%20x&${query}`);
  expect([status, json.code, json.detail]).toEqual([400, 'invalid-request', detail]);
  expect(service.prefetchd.stats().hints.given).toBe(given);
});

it('GET /v1/speculation-rules answers with the type browsers ask for', async () => {
  await using service = await runningTaught();
  const shared = await service.get('/v1/speculation-rules?url=/a');
  expect(shared.headers['content-type']).toBe('application/speculationrules+json');
  expect(shared.headers['cache-control']).toBe('max-age=60');
  expect(shared.json.prefetch[0].urls).toEqual(['/b']);
  const own = await service.get('/v1/speculation-rules?url=/a&client=four%20x');
  expect(own.headers['cache-control']).toBe('no-store');
});

it('names that no access has are told, and do not spoil the access', async () => {
  await using service = await running();
  const ignoredOf = async (path: string, body: unknown) => (await service.post(path, body)).json;
  const told = (place: string, meant: string) => {
    return { place, message: `${place} is unknown; did you mean ${meant}?` };
  };
  const page = access('one x', '/a');
  const learned = { learned: 1, notLearned: {}, errors: [] };
  expect(await ignoredOf('/v1/accesses', [{ ...page, clientt: 'x' }])).toEqual({
    ...learned,
    ignored: { count: 1, first: [told('accesses[0].clientt', 'client')] },
  });
  const many = Array.from({ length: 30 }, (_, n) => access('two x', `/${n}`, { staus: 404 }));
  const { ignored } = await ignoredOf('/v1/accesses', { accesses: many, acceses: [] });
  expect([ignored.count, ignored.first.length]).toEqual([31, 20]);
  expect(ignored.first[0]).toEqual(told('acceses', 'accesses'));
  expect((await ignoredOf('/v1/hints', { ...page, treshold: 0.4, limit: 1 })).ignored).toEqual({
    count: 1,
    first: [told('treshold', 'threshold')],
  });
  const wrapped = { access: { ...page, urll: '/b' }, limt: 1 };
  expect((await ignoredOf('/v1/hints', wrapped)).ignored.first).toEqual([
    told('limt', 'limit'),
    told('urll', 'url'),
  ]);
  const wrong = await ignoredOf('/v1/accesses', { clientt: 'one x', url: '/a' });
  expect(wrong.errors).toContainEqual(told('clientt', 'client'));
});

it('PATCH /v1/config changes p, w, i and what rules say at once, all or nothing', async () => {
  await using service = await running();
  const patch = (body: unknown) => ask(service.url, '/v1/config', { method: 'PATCH', body });
  expect((await patch({ threshold: 0.3, limit: null, otherLinks: 'moderate' })).json).toEqual({
    ...{ threshold: 0.3, window: 4, limit: null },
    ...{ otherLinks: 'moderate', prerender: 'off' },
    lasts: 'until the process ends',
  });
  const rules = await service.get('/v1/speculation-rules?url=/unknown');
  expect(rules.json.prefetch).toMatchObject([{ source: 'document', eagerness: 'moderate' }]);
  for (const body of [
    { threshold: 0.1, window: 1 },
    { treshold: 0.1 },
    { threshold: '0.1' },
    { threshold: null },
    { otherLinks: 'eager' },
    { otherLinks: 'never' },
    { threshold: 7 },
    '{"__proto__": {"threshold": 0.1}}',
    [],
    'null',
  ]) {
    expect((await patch(body)).status).toBe(400);
  }
  expect((await service.get('/v1/config')).json.threshold).toBe(0.3);
});

it('unknown paths get 404, wrong methods 405 with Allow, HEAD a head', async () => {
  await using service = await running();
  const missing = await service.get('/v2');
  expect([missing.status, missing.headers['content-type'], missing.json.code]).toEqual([
    404,
    'application/problem+json',
    'not-found',
  ]);
  const wrong = await ask(service.url, '/v1/config', { method: 'DELETE' });
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, PATCH']);
  const head = await ask(service.url, '/v1/config', { method: 'HEAD' });
  expect([head.status, head.text]).toEqual([200, '']);
  expect(Number(head.headers['content-length'])).toBeGreaterThan(0);
});

it('a fault of a handler is answered with 500, logged, and the service goes on', async () => {
  const logged: object[] = [];
  const log = tellingLog((_message, fields) => logged.push(fields));
  let isBroken = true;
  const load = () => {
    if (isBroken) throw new Error('of the load');
    return 0;
  };
  await using service = await running({ prefetchd: { load }, service: { log } });
  const broken = await service.get('/v1/hints?url=/a');
  expect([broken.status, broken.json.code]).toEqual([500, 'internal-error']);
  expect(broken.text).not.toContain('of the load');
  expect(logged).toMatchObject([{ route: '/v1/hints', err: { message: 'of the load' } }]);
  isBroken = false;
  expect((await service.get('/v1/hints?url=/a')).status).toBe(200);
});
