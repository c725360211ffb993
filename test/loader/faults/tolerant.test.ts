// Nine faults of responses that Chromium takes, and curl for the most part: the strict parser refuses them, and a
// second try on a connection of its own reads them.

import { describe, expect, it, test } from 'vitest';
import { createHttpCache, createMemoryStore, loadPage } from '../../../loader/index.ts';
import type { PageLoad } from '../../../loader/page-load.ts';
import { renderSummary } from '../../../loader/report/index.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytes, numberedImage } from '../../support/image-page.ts';
import { memoryCache } from '../../support/memory-cache.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering, type RawHandler } from '../../support/raw-server.ts';
import { makeTestCertificate } from '../../support/tls.ts';
import { chunked, expectFetchFails, faulty, http1, loadWithFault, page } from './one-fault.ts';

const html = '<!doctype html><link rel=stylesheet href=/a.css><p>text</p><img src=/a.gif>';
const css = 'p { color: red }';
const gif = numberedImage(2).body;
const bodies: Record<string, [type: string, body: Buffer]> = {
  '/': ['text/html', Buffer.from(html)],
  '/a.css': ['text/css', Buffer.from(css)],
  '/a.gif': ['image/gif', gif],
};

const length = (body: Buffer) => `Content-Length: ${body.length}`;

/** A response with one fault. */
type Faulty = (type: string, body: Buffer) => Buffer;
const faultyHead =
  (lines: (body: Buffer) => string[], content = (body: Buffer) => body, end = '\r\n'): Faulty =>
  (type, body) => {
    const head = ['HTTP/1.1 200 OK', `Content-Type: ${type}`, 'Cache-Control: max-age=600'];
    const text = [...head, ...lines(body), '', ''].join(end);
    return Buffer.concat([Buffer.from(text, 'latin1'), content(body)]);
  };

const coding = 'Transfer-Encoding: chunked';
const faults: Array<[quirk: string, of: Faulty]> = [
  [
    'white space behind a chunk size',
    faultyHead(
      () => [coding],
      (body) => chunked(body, '  '),
    ),
  ],
  ['a folded field', faultyHead((body) => ['X-Long: one', '\ttwo', length(body)])],
  ['Content-Length more than once', faultyHead((body) => [length(body), 'X-A: b', length(body)])],
  ['Content-Length beside chunked', faultyHead((body) => [length(body), coding], chunked)],
  ['line ends without CR', faultyHead((body) => [length(body)], undefined, '\n')],
  ['a header line without a colon', faultyHead((body) => ['this is no field', length(body)])],
  ['white space before a colon', faultyHead((body) => [length(body).replace(':', ' :')])],
  ['a control character in a field value', faultyHead((body) => ['X-A: a\x01b', length(body)])],
  ['an empty Content-Length', faultyHead(() => ['Content-Length: '])],
];

/** The end of the connection is the end of a body without a length. */
const answer =
  (of: Faulty): NonNullable<RawHandler['onRequest']> =>
  ({ path }, connection) =>
    connection.end(of(...(bodies[path] ?? ['text/plain', Buffer.from('none')])));

const { key, cert } = await makeTestCertificate();

function expectAll(load: PageLoad, quirks: string[]): void {
  const rows = load.resources.map(({ url, error, bodyBytes, quirks: found }) => ({
    ...{ path: new URL(url).pathname, error, bodyBytes },
    quirks: [...found].sort(),
  }));
  expect(rows).toEqual(
    Object.entries(bodies).map(([path, [, body]]) => ({
      ...{ path, error: null, bodyBytes: body.length },
      quirks: [...quirks].sort(),
    })),
  );
}

describe.each(['http', 'https'])('%s', (scheme) => {
  const start = (onRequest: NonNullable<RawHandler['onRequest']>) =>
    answering(onRequest, scheme === 'https' ? { key, cert } : undefined);

  it.each(faults)('%s: page, style sheet and image are read', async (quirk, of) => {
    await using server = await start(answer(of));
    const store = createMemoryStore();
    const cache = createHttpCache(store);
    const load = await loadPage(server.origin, { ...quick, tls: { ca: cert }, cache });
    expectAll(load, [quirk]);
    expect(renderSummary(load, { columns: 120, color: false })).toMatch(
      `3  used all the same: ${quirk}`,
    );
    expect(store.size().entries).toBe(0);
    cache.close();
    // The page twice. What it names goes alone at once, if the fault was seen by then.
    const asked = server.requests.filter(({ path }) => path === '/');
    expect(asked.map(({ headers }) => headers.connection)).toEqual(['keep-alive', 'close']);
    const alone = server.requests.filter(({ headers }) => headers.connection === 'close');
    expect(alone).toHaveLength(3);
    const requests = (id: number) => server.connections[id - 1]?.requests.length;
    expect(alone.map(({ connection }) => requests(connection))).toEqual([1, 1, 1]);
  });

  it('all faults at once, byte by byte, behind an interim response', async () => {
    const all = [
      'HTTP/1.1 103 Early Hints\nX-A : 1\n\nHTTP/1.1 200 OK\nContent-Type: text/html\njunk\nX-A: b',
      ` c\r\nX-B : \x01\nContent-Length: 4\r\nContent-Length: 4\n${coding}\n\n2 \nhi\n2;a=b\r\nho\r`,
      '0\t\nX-Sum : 1\njunk\n\n',
    ].join('\n');
    await using server = await start((_request, connection) => connection.drip(all, 0));
    const load = await loadPage(server.origin, { ...quick, tls: { ca: cert } });
    const [root] = load.resources;
    expect(root).toMatchObject({ error: null, bodyBytes: 4, status: 200, mimeType: 'text/html' });
    expect(root?.quirks).toHaveLength(8);
    expect(root?.responseHeaders).toContainEqual(['X-A', 'b c']);
  });
});

describe.each(http1)('%s', (protocol) => {
  it.each(faults)('one image of six has %s: all arrive', async (quirk, of) => {
    const { load, server } = await loadWithFault({ protocol }, (connection) =>
      connection.end(of(`image/gif\r\nX-For: ${faulty}`, gif)),
    );
    expectOwnBytes(load, page);
    const odd = load.resources.filter(({ quirks }) => quirks.length > 0);
    expect(odd.map(({ url, quirks }) => [new URL(url).pathname, quirks])).toEqual([
      [faulty, [quirk]],
    ]);
    expect(server.requests.filter(({ path }) => path === faulty)).toHaveLength(2);
  });
});

const inChunks = (text: string) =>
  faultyHead(
    () => [coding],
    () => Buffer.from(text),
  );

/** A second fault that is none of the nine. */
const refused: Array<[string, Faulty]> = [
  ['lengths that differ', faultyHead((body) => ['junk', length(body), 'Content-Length: 5'])],
  ['an empty length and another', faultyHead((body) => [length(body), 'Content-Length:'])],
  ['a length that is no number', faultyHead(() => ['junk', 'Content-Length: 0x10'])],
  [
    'lengths that differ beside chunked',
    faultyHead(() => [coding, 'Content-Length: 5, 6'], chunked),
  ],
  ['a NUL in a field', faultyHead((body) => ['junk', 'X-A: a\0b', length(body)])],
  ['a NUL in a line without a colon', faultyHead((body) => ['ju\0nk', length(body)])],
  ['a field name that is none', faultyHead((body) => ['X A: b', length(body)])],
  ['a field without a name', faultyHead((body) => ['junk', ': b', length(body)])],
  ['a control character in what frames', faultyHead((body) => [`${length(body)}\x0b`])],
  ['a fold before the first field', faultyHead((body) => [' X-A: b', length(body)])],
  ['no line end behind a chunk', inChunks('5 \r\nhelloXX0\r\n\r\n')],
  ['a chunk size that is no number', inChunks('5 \r\nhello\r\n-1\r\n\r\n')],
];

test.each(refused)('%s stays an error', async (name, of) => {
  const isFirst = name.startsWith('a fold');
  const { load, server } = await loadFrom({}, (_request, connection) => {
    const bytes = of('text/html', Buffer.from('<img src=/a.gif>'));
    const text = bytes.toString('latin1');
    const moved = text.replace(/(\r\n)(Content-Type.*?\r\nCache.*?\r\n)( X-A: b\r\n)/s, '$1$3$2');
    connection.end(isFirst ? Buffer.from(moved, 'latin1') : bytes);
  });
  expect(load.resources[0]?.error?.code).toBe('malformed-response');
  expect(server.requests.length).toBeLessThanOrEqual(2);
});

test('a head without end, or with a line without end, ends at the limit of a header section', async () => {
  for (const [begins, more] of [
    ['HTTP/1.1 200 OK\n', 'X-More: yyyyyyyyyyyyyyyyyyyyyyyy\n'],
    ['HTTP/1.1 200 OK\nX-More: ', 'y'.repeat(1_000)],
    ['HTTP/1.1 200 OK\njunk\n\n', '\n'.repeat(1_000)],
    [`HTTP/1.1 200 OK\n${coding}\n\n0\n`, 'X-More: y\n'],
    [`HTTP/1.1 200 OK\n${coding}\n\n1;`, 'y'.repeat(1_000)],
  ] as const) {
    const limits = { maxResourceBytes: 99_000, maxHeaderBytes: 16_384 };
    const options = withConstants({ limits, timeouts: { ...quick.timeouts, resourceMs: 1_000 } });
    const { load, server } = await loadFrom(options, (_request, connection) => {
      connection.write(begins);
      connection.pour(Buffer.from(more));
    });
    expect(load.resources[0]?.error, begins).not.toBeNull();
    expect(server.requests.length).toBeLessThanOrEqual(2);
  }
});

test('a stored response is not confirmed by a 304 with a fault', async () => {
  let isFaulty = false;
  await using server = await answering(({ headers }, connection) => {
    const junk = isFaulty ? 'junk\r\n' : '';
    const isAsked = headers['if-none-match'] !== undefined;
    const [status, body] = isAsked
      ? ['304 Not Modified', '']
      : ['200 OK', isFaulty ? 'new' : 'old!'];
    const fields = `${junk}ETag: "1"\r\nCache-Control: max-age=0\r\nContent-Type: text/html`;
    const framed = isAsked ? '' : `\r\nContent-Length: ${body.length}`;
    connection.write(`HTTP/1.1 ${status}\r\n${fields}${framed}\r\n\r\n${body}`);
  });
  const cache = memoryCache();
  await loadPage(server.origin, { ...quick, cache });
  isFaulty = true;
  const row = (await loadPage(server.origin, { ...quick, cache })).resources.at(-1);
  expect(row).toMatchObject({ error: null, fromCache: false, status: 200, bodyBytes: 3 });
  isFaulty = false;
  const [stored] = (await loadPage(server.origin, { ...quick, cache })).resources;
  expect(stored).toMatchObject({ error: null, fromCache: true, status: 304, bodyBytes: 4 });
});

it.each(faults)('createFetch: refuses %s, and stores nothing', async (_quirk, of) => {
  await using server = await answering(answer(of));
  await expectFetchFails(`${server.origin}/a.css`);
  expect(server.requests).toHaveLength(1);
});
