// `images: 'sizes-first'`: the first bytes of all images before the rest of any, no byte twice, and a
// server that does not play along still gives the whole page.

import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import type { PageLoad } from '../../../loader/page-load.ts';
import { withConstants } from '../../../options/options.ts';
import { eventually } from '../../support/eventually.ts';
import { imagePage, numberedImage } from '../../support/image-page.ts';
import { answering, response, type SeenRequest } from '../../support/raw-server.ts';

const page = imagePage(12);
const bytesOf = (path: string) => page.images.find((image) => image.path === path)?.body;

/** Answers ranges as RFC 9110 14 has it. */
function ranged(request: SeenRequest, headers: Record<string, string>): Buffer {
  const body = bytesOf(request.path);
  if (body === undefined) return page.answer(request.path);
  const type = { 'Content-Type': 'image/gif', ...headers };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const condition = request.headers['if-range'];
  const applies = condition === undefined || condition === headers.ETag;
  if (from === undefined || !applies) return response(body, type);
  const first = Number(from);
  const last = Math.min(to === '' ? Number.POSITIVE_INFINITY : Number(to), body.length - 1);
  if (first > last) return response('', type, '416 Range Not Satisfiable');
  const about = { ...type, 'Content-Range': `bytes ${first}-${last}/${body.length}` };
  return response(body.subarray(first, last + 1), about, '206 Partial Content');
}

const sizesFirst = (imageFirstBytes = 64) =>
  ({ images: 'sizes-first', ...withConstants({ imageFirstBytes }) }) as const;

async function loadFrom(answer: (request: SeenRequest) => Buffer, imageFirstBytes?: number) {
  await using server = await answering((request, to) => to.write(answer(request)));
  const options = { protocol: 'pipelined', ...sizesFirst(imageFirstBytes) } as const;
  return { load: await loadPage(server.origin, options), requests: server.requests };
}

/** Bytes of each image over all rows that are about it. */
function bodyBytesByPath(load: PageLoad): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { url, kind, bodyBytes } of load.resources) {
    const { pathname } = new URL(url);
    if (kind === 'image') sums.set(pathname, (sums.get(pathname) ?? 0) + bodyBytes);
  }
  return sums;
}

function expectAllSized(load: PageLoad): void {
  for (const { path, width, height } of page.images) {
    const row = load.resources.find(({ url }) => new URL(url).pathname === path);
    expect(row).toMatchObject({ width, height, purpose: 'use' });
  }
  expect(load.timing.sizesKnownMs).not.toBeNull();
}

const lengths = () => new Map(page.images.map(({ path, body }) => [path, body.length]));

test('first bytes of all images leave before the rest of any, and no byte comes twice', async () => {
  const { load, requests } = await loadFrom((request) => ranged(request, { ETag: '"1"' }));
  expect(load.totals.errors).toBe(0);
  expectAllSized(load);
  expect(bodyBytesByPath(load)).toEqual(lengths());
  const images = requests.filter(({ path }) => path !== '/');
  const long = page.images.filter(({ body }) => body.length > 64);
  expect(images.map(({ headers }) => headers.range)).toEqual([
    ...page.images.map(() => 'bytes=0-63'),
    ...long.map(() => 'bytes=64-'),
  ]);
  // In layout order, each under the validator of its first bytes.
  expect(images.slice(page.images.length).map(({ path }) => path)).toEqual(
    long.map(({ path }) => path),
  );
  for (const { headers } of images.slice(page.images.length))
    expect(headers['if-range']).toBe('"1"');
  const rests = load.resources.filter(({ purpose }) => purpose === 'rest');
  expect(rests.length).toBe(long.length);
  expect(load.timing.sizesKnownMs as number).toBeLessThan(load.timing.completeMs as number);
});

test('an image that is no longer than its first bytes is asked for once', async () => {
  const { load, requests } = await loadFrom((request) => ranged(request, { ETag: '"1"' }), 100_000);
  expect(requests.length).toBe(page.images.length + 1);
  expect(load.resources.every(({ purpose }) => purpose === 'use')).toBe(true);
  expectAllSized(load);
});

test('a server that ignores ranges gives each image once, whole', async () => {
  const { load, requests } = await loadFrom(({ path }) => page.answer(path));
  expect(requests.length).toBe(page.images.length + 1);
  expect(load.totals.errors).toBe(0);
  expectAllSized(load);
  expect(bodyBytesByPath(load)).toEqual(lengths());
});

test.each([
  ['no validator', {}],
  ['a weak one', { ETag: 'W/"1"' }],
  ['a date that may be weak', { 'Last-Modified': 'Mon, 06 May 2024 07:08:09 GMT' }],
])('with %s parts are not put together: the whole is fetched', async (_, headers) => {
  const { load, requests } = await loadFrom((request) => ranged(request, headers));
  expect(load.totals.errors).toBe(0);
  expectAllSized(load);
  const again = requests.filter(({ path, headers }) => path !== '/' && headers.range === undefined);
  expect(again.length).toBe(page.images.filter(({ body }) => body.length > 64).length);
  const rests = load.resources.filter(({ purpose }) => purpose === 'rest');
  for (const { url, status, bodyBytes } of rests) {
    expect(status).toBe(200);
    expect(bodyBytes).toBe(bytesOf(new URL(url).pathname)?.length);
  }
});

test('an image that changed between its parts comes whole, and its new size counts', async () => {
  const changed = numberedImage(500);
  const { load } = await loadFrom((request) => {
    const isRest = request.headers['if-range'] !== undefined;
    if (isRest && request.path === '/image-3.gif') {
      return response(changed.body, { 'Content-Type': 'image/gif', ETag: '"2"' });
    }
    return ranged(request, { ETag: '"1"' });
  });
  expect(load.totals.errors).toBe(0);
  const rest = load.resources.find(
    ({ url, purpose }) => purpose === 'rest' && url.endsWith('-3.gif'),
  );
  const { body, width, height } = changed;
  expect(rest).toMatchObject({ status: 200, bodyBytes: body.length, width, height });
});

test.each([
  ['416', () => response('', {}, '416 Range Not Satisfiable')],
  ['another range', (body: Buffer) => part(body.subarray(10, 20), 'bytes 10-19/2000')],
  ['more than was asked for', (body: Buffer) => part(body.subarray(0, 90), 'bytes 0-89/2000')],
  ['fewer bytes than it says', (body: Buffer) => part(body.subarray(0, 60), 'bytes 0-63/2000')],
  ['more bytes than it says', (body: Buffer) => part(body.subarray(0, 64), 'bytes 0-59/2000')],
  ['a range beyond its total', (body: Buffer) => part(body.subarray(0, 64), 'bytes 0-63/20')],
  ['an unknown total', (body: Buffer) => part(body.subarray(0, 64), 'bytes 0-63/*')],
  ['no Content-Range', (body: Buffer) => part(body.subarray(0, 64), '')],
  ['several ranges', () => response('--x', multipart, '206 Partial Content')],
])('%s in answer to the first bytes: the image is fetched whole', async (_, answer) => {
  const { load } = await loadFrom((request) => {
    const body = bytesOf(request.path);
    if (body === undefined || request.headers.range === undefined) return page.answer(request.path);
    return answer(body);
  });
  expect(load.totals.errors).toBe(0);
  for (const { path, width, height, body } of page.images) {
    const rows = load.resources.filter(({ url }) => new URL(url).pathname === path);
    expect(rows.at(-1)).toMatchObject({ status: 200, bodyBytes: body.length, width, height });
  }
  expect(load.timing.sizesKnownMs).not.toBeNull();
});

const multipart = { 'Content-Type': 'multipart/byteranges; boundary=x' };

function part(bytes: Buffer, contentRange: string): Buffer {
  const about: Record<string, string> = { 'Content-Type': 'image/gif', ETag: '"1"' };
  if (contentRange !== '') about['Content-Range'] = contentRange;
  return response(bytes, about, '206 Partial Content');
}

test.each([
  ['another place', 'bytes 65-99/100'],
  ['another total', 'bytes 64-98/99'],
])('a rest that says %s is thrown away and the image fetched whole', async (_, contentRange) => {
  const { load } = await loadFrom((request) => {
    const isRest = request.headers['if-range'] !== undefined;
    if (isRest) return part(Buffer.alloc(35, 7), contentRange); // under the right validator
    return ranged(request, { ETag: '"1"' });
  });
  expect(load.totals.errors).toBe(0);
  for (const { path, body } of page.images.filter((image) => image.body.length > 64)) {
    const rows = load.resources.filter(({ url }) => new URL(url).pathname === path);
    expect(rows.at(-1)).toMatchObject({ status: 200, bodyBytes: body.length });
  }
});

test('a rest that fails is an error of its own, and the page ends', async () => {
  const { load } = await loadFrom((request) => {
    const isRest = request.headers['if-range'] !== undefined;
    if (isRest) return response('gone', {}, '404 Not Found');
    return ranged(request, { ETag: '"1"' });
  });
  const rests = load.resources.filter(({ purpose }) => purpose === 'rest');
  expect(rests.length).toBeGreaterThan(0);
  for (const { error } of rests) expect(error?.code).toBe('http-status');
  expect(load.timing.sizesKnownMs).not.toBeNull();
});

test.each<[string, (request: SeenRequest) => Buffer]>([
  ['ignores ranges', ({ path }) => page.answer(path)],
  ['gives parts that cannot be put together', (request) => ranged(request, {})],
])('a server that %s is asked for whole images from then on', async (_, answer) => {
  const [first, ...others] = page.images.filter(({ body }) => body.length > 64);
  const html = [first, ...others].map((image) => `<img src="${image?.path}">`);
  const rest = html.slice(1).join('');
  let [answered, bodyBytes] = [false, 0];
  await using server = await answering((request, connection) => {
    if (request.path !== '/') {
      connection.write(answer(request));
      answered ||= request.path === first?.path;
      return;
    }
    const whole = response(html.join(''), { 'Content-Type': 'text/html' });
    connection.write(whole.subarray(0, whole.length - rest.length));
    // (The first image, or that much of it, is there.)
    eventually(() => answered && bodyBytes >= (html[0]?.length ?? 0) + 64).then(() =>
      connection.write(rest),
    );
  });
  const load = await loadPage(server.origin, {
    ...{ protocol: 'persistent', ...sizesFirst() },
    onProgress: (progress) => {
      bodyBytes = progress.bodyBytes;
    },
  });
  expect(load.totals.errors).toBe(0);
  const later = server.requests.filter(({ path }) => others.some((image) => image.path === path));
  expect(later.map(({ headers }) => headers.range)).toEqual(others.map(() => undefined));
});

test('an image whose size stands in text is asked for whole, and its size is known with its last byte', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"/>';
  const { load, requests } = await loadFrom(({ path }) =>
    path === '/'
      ? response('<img src=/a.svg>', { 'Content-Type': 'text/html' })
      : response(gzipSync(svg), { 'Content-Type': 'image/svg+xml', 'Content-Encoding': 'gzip' }),
  );
  expect(requests[1]?.headers.range).toBeUndefined();
  expect(load.timing.sizesKnownMs).toBe(load.timing.completeMs);
});

test('the first view waits for all images that fill it, each of whose areas counts once', async () => {
  // A GIF of 1280 x 500, of which two fill the view of 1280 x 800.
  const body = Buffer.concat([
    Buffer.from('GIF89a\x00\x05\xf4\x01\0\0\0', 'latin1'),
    Buffer.alloc(500),
  ]);
  const html = response('<img src=1.gif><img src=2.gif>', { 'Content-Type': 'text/html' });
  let isFirstThere = false;
  await using server = await answering(({ path, headers }, connection) => {
    const [, from = '0', to] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    const part = body.subarray(Number(from), to ? Number(to) + 1 : undefined);
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${body.length}`;
    const fields = { 'Content-Type': 'image/gif', 'Content-Range': range, ETag: '"1"' };
    const answer = () => connection.write(response(part, fields, '206 Partial Content'));
    if (path === '/') connection.write(html);
    else if (path === '/2.gif' && from !== '0') eventually(() => isFirstThere).then(answer);
    else answer();
  });
  const { timing, resources } = await loadPage(server.origin, {
    ...{ protocol: 'persistent', ...sizesFirst() },
    onProgress: ({ done }) => {
      isFirstThere = done >= 4;
    },
  });
  expect(resources.filter(({ purpose }) => purpose === 'rest')).toHaveLength(2);
  expect(timing.firstViewMs).toBe(timing.completeMs);
});
