// Pages made to hurt whoever reads them: found is what can be found, in bounded time and memory.

import { describe, expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { withConstants } from '../../../options/options.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { answering, response } from '../../support/raw-server.ts';
import { residentGrowth } from '../../support/resident-growth.ts';
import { http1, page } from './one-fault.ts';

const mebibyte = 1024 * 1024;
const tags = page.images.map(({ path }) => `<img src="${path}">`).join('');

/** A server whose page is `before`, the six images, `after`. */
function serverWithPage(before: string | Buffer, after = '', type = 'text/html') {
  const body = Buffer.concat([Buffer.from(before), Buffer.from(tags), Buffer.from(after)]);
  return answering(({ path }, connection) => {
    if (path === '/') connection.write(response(body, { 'Content-Type': type }));
    else connection.write(page.answer(path));
  });
}

/** Each image once, whole; the page without error. */
function expectAllImages(load: Awaited<ReturnType<typeof loadPage>>): void {
  const [root, ...images] = load.resources;
  expect(root?.error).toBeNull();
  expect(images.map(({ url }) => new URL(url).pathname)).toEqual(
    page.images.map(({ path }) => path),
  );
  expect(images.map(({ bodyBytes }) => bodyBytes)).toEqual(
    page.images.map(({ body }) => body.length),
  );
  expect(images.map(({ error }) => error)).toEqual(images.map(() => null));
}

const hostile: Array<[string, string | Buffer, string]> = [
  ['NULs everywhere (HTML 13.2.5.1)', `\0<p>\0\0</p>${'\0'.repeat(1000)}`, '\0'.repeat(1000)],
  ['NULs in names and values of tags (HTML 13.2.5.8)', '<im\0g src="/no\0"><img s\0rc=/no>', ''],
  ['an attribute of 1 MB', `<div title="${'x'.repeat(mebibyte)}">`, ''],
  ['an attribute name of 1 MB', `<div ${'x'.repeat(mebibyte)}=1>`, ''],
  ['a tag name of 1 MB', `<${'x'.repeat(mebibyte)}>`, ''],
  ['a comment of 1 MB, with tags in it', `<!--${'<img src=/no>'.repeat(80_000)}-->`, ''],
  ['100,000 nested tags', '<div>'.repeat(100_000), '</div>'.repeat(100_000)],
  ['100,000 nested tags, never closed', '<b><i>'.repeat(50_000), ''],
  ['100,000 end tags that close nothing', '</div>'.repeat(100_000), '</p>'.repeat(100_000)],
  [
    '100,000 attributes on one tag',
    `<div ${Array.from({ length: 100_000 }, (_, i) => `a${i}=1`).join(' ')}>`,
    '',
  ],
  ['100,000 attributes of one name on an image', `<div ${'src=/no '.repeat(100_000)}>`, ''],
  ['100,000 entities', `<p title="${'&amp;'.repeat(100_000)}">${'&lt;'.repeat(100_000)}`, ''],
  ['100,000 opening brackets', '<'.repeat(100_000).concat('>'), ''],
  ['a tag never closed at its end', '', `<img src="${'y'.repeat(mebibyte)}`],
  ['a script of 1 MB with tags in it', `<script>${'<img src=/no>'.repeat(80_000)}</script>`, ''],
  [
    'bytes no encoding has',
    Buffer.from(Array.from({ length: 4096 }, (_, i) => (i % 2 === 0 ? 0xff : 0xc0))),
    '',
  ],
  [
    'a hundred base elements (HTML 4.2.3: the first holds)',
    '<base href="/">'.concat('<base href="/no/">'.repeat(99)),
    '',
  ],
];

describe.each(http1)('%s', (protocol) => {
  it.each(hostile)('a page with %s: its images are found', async (_name, before, after) => {
    await using server = await serverWithPage(before, after);
    const load = await loadPage(server.origin, { ...quick, protocol });
    expectAllImages(load);
    expect(server.requests.length).toBe(7);
  });
});

it('an image source of 1 MB is not asked for: one row that says why (RFC 9110 4.1)', async () => {
  const long = `/${'y'.repeat(mebibyte)}`;
  await using server = await serverWithPage(`<img src="${long}">`);
  const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
  const failed = load.resources.filter(({ error }) => error !== null);
  expect(failed.map(({ error, attempts }) => [error?.code, attempts])).toEqual([
    ['invalid-url', 0],
  ]);
  expect(failed[0]?.error?.message).toMatch(/long|characters|bytes/);
  expect(load.resources.length).toBe(8);
  expect(server.requests.length).toBe(7);
});

it('of 10,000 references as many as the limit are fetched, then one row says so', async () => {
  const many = Array.from({ length: 10_000 }, (_, index) => `<img src="/many-${index}.gif">`).join(
    '',
  );
  const { load, server } = await loadFrom(
    { protocol: 'pipelined', ...withConstants({ limits: { maxReferences: 100 } }) },
    ({ path }, connection) => {
      if (path === '/') connection.write(response(many, { 'Content-Type': 'text/html' }));
      else connection.write(response('x', { 'X-For': path }));
    },
  );
  const failed = load.resources.filter(({ error }) => error !== null);
  expect(failed.map(({ error }) => error?.code)).toEqual(['too-many-references']);
  expect(failed[0]?.error?.message).toMatch(/more than 100 /);
  expect(failed[0]?.attempts).toBe(0);
  expect(load.resources.filter(({ status }) => status === 200).length).toBe(101);
  expect(server.requests.length).toBe(101);
});

it('10,000 references to one image are one request', async () => {
  await using server = await serverWithPage(tags.repeat(2_000));
  expectAllImages(await loadPage(server.origin, { ...quick, protocol: 'pipelined' }));
  expect(server.requests.length).toBe(7);
});

it('5,000 references all arrive', async () => {
  const many = Array.from({ length: 4_999 }, (_, index) => `<img src="/m${index}">`).join('');
  await using server = await answering(({ path }, connection) => {
    if (path === '/') connection.write(response(many, { 'Content-Type': 'text/html' }));
    else connection.write(response('x'.repeat(1 + Number(path.slice(2))), {}));
  });
  using memory = residentGrowth();
  const load = await loadPage(server.origin, {
    protocol: 'pipelined',
    timeouts: { pageMs: 25_000 },
  });
  expect(load.totals.errors).toBe(0);
  const wrong = load.resources.slice(1).filter(({ bodyBytes }, index) => bodyBytes !== index + 1);
  expect(wrong.map(({ url }) => url)).toEqual([]);
  expect(memory.mostBytes()).toBeLessThan(300 * mebibyte);
});

it.each([
  'javascript:alert(1)',
  'data:image/gif;base64,R0lGODlhAQABAAAAACw=',
  'file:///etc/passwd',
  'about:blank',
  'ftp://127.0.0.1/x.gif',
  'blob:https://a/b',
  'mailto:a@b',
  'http://[',
  'http://a:99999/',
  'http://',
  '',
  ' ',
  '#top',
])('an image or a script at %j is not asked for over HTTP', async (source) => {
  await using server = await serverWithPage(
    `<img src="${source}"><script src="${source}"></script>`,
  );
  const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
  // On a busy machine a pipeline may look stalled, and what it had asked for is asked for again.
  const paths = new Set(server.requests.map(({ path }) => path));
  expect([...paths]).toEqual(['/', ...page.images.map(({ path }) => path)]);
  expect(load.resources[0]?.error).toBeNull();
});

it('a source with a line end in it cannot add a request or a header (RFC 9112 11.1)', async () => {
  const evil = '/x HTTP/1.1&#13;&#10;X-Evil: 1&#13;&#10;&#13;&#10;GET /evil';
  await using server = await serverWithPage(`<img src="${evil}"><img src="/y&#10;&#13;z">`);
  const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
  expect(server.requests.some(({ headers }) => 'x-evil' in headers)).toBe(false);
  expect(server.requests.map(({ path }) => path)).not.toContain('/evil');
  expect(server.requests.length).toBe(load.totals.requests);
  expect(server.requests.every(({ path }) => !/[\s\0]/.test(path))).toBe(true);
});

it('what is no HTML is not searched for references (HTML 13.2, MIME Sniffing 7)', async () => {
  await using server = await serverWithPage('', '', 'image/svg+xml');
  const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
  expect(load.resources.length).toBe(1);
  expect(server.requests.length).toBe(1);
});

it('a page cut in its body: what it named so far is loaded, and the cut is its error (RFC 9112 8)', async () => {
  let tries = 0;
  const { load } = await loadFrom({ protocol: 'persistent' }, ({ path }, connection) => {
    if (path !== '/') return void connection.write(page.answer(path));
    tries++;
    connection.write(response(tags, { 'Content-Type': 'text/html', 'Content-Length': '100000' }));
    connection.end();
  });
  expect(load.resources[0]?.error?.code).toBe('length-mismatch');
  expect(load.resources.slice(1).map(({ error }) => error)).toEqual(page.images.map(() => null));
  expect(tries).toBeLessThanOrEqual(2);
});
