// Content codings and their negotiation (RFC 9110 8.4, 12.5.3), asked over a socket.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createGunzip,
  createZstdDecompress,
  gunzipSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { expect, test } from 'vitest';
import { microscapeDir } from '../../../fixtures/index.ts';
import { withConstants } from '../../../options/options.ts';
import { isSafeBrotli } from '../../../server/origin/coding-choice.ts';
import { FileStore } from '../../../server/origin/file-store.ts';
import { ask } from '../raw-client.ts';
import { makeSite, serveSite } from '../site.ts';

const html = `<!doctype html><p>${'The quick brown fox. '.repeat(300)}`;
const decoders = { gzip: gunzipSync, deflate: inflateSync, zstd: zstdDecompressSync };

test('each coding decodes to the file and has a tag of its own (RFC 9110 8.8.3.3)', async () => {
  await using served = await serveSite({ 'a.html': html });
  const tags = new Set([(await ask(served.port, '/a.html')).headers.etag]);
  for (const [coding, decode] of Object.entries(decoders)) {
    const accept = { 'Accept-Encoding': coding };
    const { headers, body } = await ask(served.port, '/a.html', accept);
    expect(headers['content-encoding']).toBe(coding);
    expect(headers['content-length']).toBe(String(body.length));
    // inflateSync takes the zlib format only (RFC 9110 8.4.1.2), not a bare deflate stream.
    expect(decode(body).toString()).toBe(html);
    tags.add(headers.etag);

    const again = { ...accept, 'If-None-Match': headers.etag ?? '' };
    const revalidated = await ask(served.port, '/a.html', again);
    expect([revalidated.status, revalidated.headers.vary]).toEqual([304, 'Accept-Encoding']);
    const identity = await ask(served.port, '/a.html', { 'If-None-Match': headers.etag ?? '' });
    expect(identity.status).toBe(200);
  }
  expect(tags.size).toBe(4);
});

test('the first packets of a coded page can be read before the others are there', async () => {
  const page = await readFile(join(microscapeDir, 'index.html'), 'utf8');
  await using served = await serveSite({ 'a.html': page });
  const streams = { gzip: createGunzip, zstd: createZstdDecompress };
  for (const [coding, create] of Object.entries(streams)) {
    const { body } = await ask(served.port, '/a.html', { 'Accept-Encoding': coding });
    const stream = create();
    stream.write(body.subarray(0, 3_000));
    const [first] = await once(stream, 'data');
    expect(page.startsWith(String(first)), coding).toBe(true);
    stream.destroy();
  }
});

test('q-values decide, between equals our order (RFC 9110 12.4.2, 12.5.3)', async () => {
  await using served = await serveSite({ 'a.html': html });
  const cases: [field: string, coding: string | undefined][] = [
    ['gzip, deflate, br, zstd', 'zstd'],
    ['deflate, gzip', 'gzip'],
    ['gzip;q=0.5, deflate', 'deflate'],
    ['gzip;q=0.1, zstd;q=0.2, identity;q=0.9', undefined],
    ['*', 'zstd'],
    ['*;q=0.5, gzip', 'gzip'],
    ['zstd;q=0, *', 'gzip'],
    ['gzip;q=0', undefined],
    ['identity', undefined],
    ['', undefined],
    ['compress', undefined],
    ['GZIP', 'gzip'],
    // Nothing we have is acceptable: the field is disregarded (12.1).
    ['compress, *;q=0', undefined],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
  ];
  for (const [field, coding] of cases) {
    const { headers } = await ask(served.port, '/a.html', { 'Accept-Encoding': field });
    const { 'content-encoding': chosen, vary } = headers;
    expect([field, chosen, vary]).toEqual([field, coding, 'Accept-Encoding']);
  }
});

test('only what gets smaller is coded, only types that can be are negotiated', async () => {
  await using served = await serveSite({ 'tiny.txt': 'hi', 'a.gif': html, 'a.svg': html });
  const accept = { 'Accept-Encoding': 'gzip' };
  const tiny = await ask(served.port, '/tiny.txt', accept);
  expect(tiny.headers['content-encoding']).toBeUndefined();
  expect(tiny.headers.vary).toBe('Accept-Encoding');
  const gif = await ask(served.port, '/a.gif', accept);
  expect([gif.headers['content-encoding'], gif.headers.vary]).toEqual([undefined, undefined]);
  expect((await ask(served.port, '/a.svg', accept)).headers['content-encoding']).toBe('gzip');
});

test('a changed file is coded anew', async () => {
  await using served = await serveSite({ 'a.html': html });
  const accept = { 'Accept-Encoding': 'gzip' };
  await ask(served.port, '/a.html', accept);
  const other = html.replaceAll('fox', 'dog');
  await served.site.write('a.html', other);
  const { body } = await ask(served.port, '/a.html', accept);
  expect(gunzipSync(body).toString()).toBe(other);
});

test('a cache without room changes nothing but the work', async () => {
  await using served = await serveSite({ 'a.html': html }, withConstants({ maxCacheBytes: 0 }));
  for (let round = 0; round < 3; round++) {
    const { body } = await ask(served.port, '/a.html', { 'Accept-Encoding': 'zstd' });
    expect(zstdDecompressSync(body).toString()).toBe(html);
  }
});

test('codings that are made at the same time are all counted', async () => {
  // Either coding halves the text, so that the cache has room for the file with one of them.
  await using site = await makeSite({ 'a.txt': randomBytes(4000).toString('hex') });
  const store = new FileStore(site.folder, { maxCacheBytes: 15_000, maxCachedFileBytes: 10_000 });
  const path = store.pathOf(['a.txt']);
  const held = async () => [await store.load(path), store.known(path)][1];
  await expect.poll(held).toBeDefined(); // a file that was just written is not used from the cache
  const file = store.known(path);
  if (file === undefined) throw new Error('the file is not cached');
  await Promise.all([store.coded(path, file, 'gzip'), store.coded(path, file, 'zstd')]);
  expect(store.known(path)).toBeUndefined();
});

test('Brotli is offered from version 1.2.1 on', async () => {
  const versions = { '1.0.9': false, '1.1.0': false, '1.2.0': false, '1.2.1': true, '1.3.0': true };
  for (const [version, isSafe] of Object.entries({ ...versions, '2.0.0': true, '': false })) {
    expect([version, isSafeBrotli(version)]).toEqual([version, isSafe]);
  }
  await using served = await serveSite({ 'a.html': html });
  const { headers } = await ask(served.port, '/a.html', { 'Accept-Encoding': 'br' });
  const expected = isSafeBrotli(process.versions.brotli) ? 'br' : undefined;
  expect(headers['content-encoding']).toBe(expected);
});
