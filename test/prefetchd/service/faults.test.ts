import { expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { RawClient } from '../../server/raw-client.ts';
import { tellingLog } from '../../support/telling-log.ts';
import { access, type Running, running } from './ask.ts';

const host = 'POST /v1/hints HTTP/1.1\r\nHost: localhost\r\n';
const head = `${host}Content-Type: application/json\r\n`;

function raw(service: Running, text: string): RawClient {
  const client = new RawClient(Number(new URL(service.url).port));
  client.send(text);
  return client;
}

/** Until the connection is closed. */
async function allOf(client: RawClient): Promise<string> {
  await client.closed;
  return String(client.bytes);
}

const garbage: ReadonlyArray<readonly [string, string, string]> = [
  ['an empty body', '', 'invalid-json'],
  ['half a body', '{"client": "a', 'invalid-json'],
  ['no JSON', '<xml/>', 'invalid-json'],
  ['two values', '{}{}', 'invalid-json'],
  ['a comma too many', '[1,]', 'invalid-json'],
  ['deep lists', '['.repeat(200_000), 'invalid-json'],
  ['deep lists that end', '['.repeat(200_000) + ']'.repeat(200_000), 'invalid-request'],
  ['deep objects', `${'{"accesses":'.repeat(50_000)}1${'}'.repeat(50_000)}`, 'invalid-request'],
  ['a number', '1e999', 'invalid-request'],
  ['__proto__ for an access', '{"__proto__": {"client": "a x", "url": "/a"}}', 'invalid-request'],
  ['constructor', '{"constructor": {"prototype": {"url": "/a"}}}', 'invalid-request'],
  ['NUL bytes', '\0\0\0', 'invalid-json'],
  ['null', 'null', 'invalid-request'],
  ['a client that is a number', '{"client": 7}', 'invalid-request'],
];

it('garbage is answered with 400, and the service goes on', async () => {
  await using service = await running();
  for (const [what, body, code] of garbage) {
    for (const path of ['/v1/accesses', '/v1/hints']) {
      const { status, json } = await service.post(path, body);
      expect([what, path, status, json.code]).toEqual([what, path, 400, code]);
    }
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect((await service.get('/healthz')).status).toBe(200);
});

it('the answer to bad JSON says where it went wrong, and to wrong accesses what is wrong', async () => {
  await using service = await running();
  const { json } = await service.post('/v1/accesses', '{"client": "a x",\n "url" "/a"}');
  expect(json.detail).toMatch(/line 2 column 8/);
  for (const body of [[{}, {}], { accesses: 5 }]) {
    const { status, json } = await service.post('/v1/accesses', body);
    expect([status, json.code, json.errors.length > 0]).toEqual([400, 'invalid-request', true]);
  }
});

it('a body that is not UTF-8 is refused', async () => {
  await using service = await running();
  const client = raw(service, `${head}Content-Length: 4\r\nConnection: close\r\n\r\n`);
  client.socket.write(Buffer.from([0x22, 0xc3, 0x28, 0x22]));
  expect(await allOf(client)).toMatch(/^HTTP\/1.1 400 .*the body is not UTF-8/s);
});

it('names of __proto__ inside an access are names like any other', async () => {
  await using service = await running();
  const body = '{"client": "a x", "url": "/a", "__proto__": {"status": 500}}';
  expect((await service.post('/v1/accesses', body)).json.learned).toBe(1);
});

it('a body over the limit is answered with 413, also when its length is not told', async () => {
  await using service = await running({ service: withConstants({ maxBodyBytes: 2048 }) });
  const body = JSON.stringify(access('a x', '/a', { more: 'x'.repeat(5000) }));
  expect((await service.post('/v1/accesses', body)).status).toBe(413);
  const chunked = await service.post('/v1/accesses', body, { 'Transfer-Encoding': 'chunked' });
  expect([chunked.status, chunked.json.code]).toEqual([413, 'too-large']);
});

it('a body without end is cut off', async () => {
  await using service = await running({ service: withConstants({ maxBodyBytes: 1024 }) });
  const client = raw(service, `${head}Content-Length: 999999999\r\n\r\n`);
  expect(await allOf(client)).toMatch(/^HTTP\/1.1 413 .*Connection: close/s);
});

it('a coded body is refused: nothing is unpacked', async () => {
  await using service = await running();
  for (const coding of ['gzip', 'deflate', 'br']) {
    const coded = { 'Content-Encoding': coding };
    expect((await service.post('/v1/hints', access('a x', '/a'), coded)).status).toBe(415);
  }
});

it.each([
  ['application/json; charset=utf-8', 200],
  ['application/json;charset="UTF-8"', 200],
  ['application/problem+json', 200],
  ['APPLICATION/JSON', 200],
  ['application/json; charset=latin1', 415],
  ['application/jsonp', 415],
  ['text/json', 415],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data', 415],
  ['', 415],
])('Content-Type %s: %i', async (type, expected) => {
  await using service = await running();
  const { status } = await service.post('/v1/hints', access('a x', '/a'), { 'Content-Type': type });
  expect(status).toBe(expected);
});

it('a client that sends its head or its body too slowly gets 408', async () => {
  const impatient = withConstants({ headersTimeoutMs: 1, requestTimeoutMs: 2 });
  await using service = await running({ service: impatient });
  for (const text of [host, `${head}Content-Length: 9\r\n\r\n{`]) {
    expect(await allOf(raw(service, text))).toMatch(/^HTTP\/1.1 408 /);
  }
});

it('a client that goes away in the middle is nobody to answer', async () => {
  const logged: unknown[] = [];
  const log = tellingLog((...told) => logged.push(told));
  await using service = await running({ service: { log } });
  const client = raw(service, `${head}Content-Length: 9\r\n\r\n{`);
  client.socket.resetAndDestroy();
  await service.service.close(); // when every connection has ended
  expect(logged).toEqual([]);
});

it('a head that is too long gets 431', async () => {
  await using service = await running();
  const target = `/?${'x'.repeat(33_000)}`;
  const client = raw(service, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  expect(await allOf(client)).toMatch(/^HTTP\/1.1 431 /);
});

it('1,000 requests at the same time are all answered', async () => {
  await using service = await running();
  const bodies = Array.from({ length: 1000 }, (_, n) => access(`c${n} x`, `/${n % 50}`));
  const answers = await Promise.all(bodies.map((body) => service.post('/v1/hints', body)));
  const statuses = answers.map(({ status, json }) => json.hints && status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(service.prefetchd.stats().learned.document).toBe(1000);
});

it('a large batch lets others in between', async () => {
  const large = withConstants({ maxBodyBytes: 8 * 1024 * 1024 });
  await using service = await running({ service: large });
  const many = Array.from({ length: 10_000 }, (_, n) => access(`c${n % 100} x`, `/${n}`));
  let isDone = false;
  const batch = service.post('/v1/accesses', many).then((answer) => {
    isDone = true;
    return answer;
  });
  let between = 0;
  while (!isDone) {
    await service.get('/healthz');
    if (!isDone && service.prefetchd.stats().learned.document > 0) between++;
  }
  const { json } = await batch;
  expect(json.learned + (json.notLearned.flood ?? 0)).toBe(10_000);
  expect(between).toBeGreaterThan(0);
});
