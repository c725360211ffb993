// Range requests (RFC 9110 14), asked over a socket, of a file in memory, a file streamed from the disk
// and a coded representation.

import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { ask } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const sizeBytes = 10_000;
const content = Buffer.from(Array.from({ length: sizeBytes }, (_, index) => (index * 7) % 251));

type Expected = [firstByte: number, lastByte: number] | 'whole' | 'unsatisfiable';

const matrix: [range: string, expected: Expected][] = [
  ['bytes=0-0', [0, 0]],
  ['bytes=0-499', [0, 499]],
  ['bytes=500-', [500, 9_999]],
  ['bytes=9999-', [9_999, 9_999]],
  ['bytes=-1', [9_999, 9_999]],
  ['bytes=-500', [9_500, 9_999]],
  ['bytes=9000-20000', [9_000, 9_999]],
  ['bytes=-20000', [0, 9_999]],
  ['Bytes=0-9', [0, 9]],
  ['bytes= 0-9', [0, 9]],
  ['bytes=0-9, 10-19', [0, 19]],
  ['bytes=0-9,5-14', [0, 14]],
  ['bytes=0-9,20000-', [0, 9]],
  ['bytes=0-9,100-109', 'whole'],
  ['bytes=10000-', 'unsatisfiable'],
  ['bytes=20000-30000', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=9-5', 'unsatisfiable'],
  ['lines=1-2', 'whole'],
  ['bytes=a-b', 'whole'],
  ['bytes', 'whole'],
  ['bytes=', 'whole'],
];

test.each([
  ['in memory', 1024 * 1024],
  ['from the disk', 100],
])('each form of Range gets its part (RFC 9110 14.1, 14.2), %s', async (_, maxCachedFileBytes) => {
  await using served = await serveSite({ 'a.bin': content }, withConstants({ maxCachedFileBytes }));
  for (const [range, expected] of matrix) {
    const { status, headers, body } = await ask(served.port, '/a.bin', { Range: range });
    if (expected === 'unsatisfiable') {
      expect([range, status]).toEqual([range, 416]);
      expect(headers['content-range']).toBe(`bytes */${sizeBytes}`);
      expect(headers.etag).toBeUndefined();
    } else if (expected === 'whole') {
      expect([range, status]).toEqual([range, 200]);
      expect(headers['content-range']).toBeUndefined();
      expect(body.equals(content)).toBe(true);
    } else {
      const [first, last] = expected;
      expect([range, status]).toEqual([range, 206]);
      expect(headers['content-range']).toBe(`bytes ${first}-${last}/${sizeBytes}`);
      expect(headers['content-length']).toBe(String(last + 1 - first));
      expect(headers.etag).toMatch(/^"/);
      expect(body.equals(content.subarray(first, last + 1))).toBe(true);
    }
  }
});

test('Range counts under GET alone (RFC 9110 14.2)', async () => {
  await using served = await serveSite({ 'a.bin': content });
  const { status, headers } = await ask(served.port, '/a.bin', { Range: 'bytes=0-9' }, 'HEAD');
  expect([status, headers['content-length']]).toEqual([200, String(sizeBytes)]);
});

test('an empty file has no part to give and is sent whole (RFC 9110 14.2)', async () => {
  await using served = await serveSite({ 'empty.bin': '' });
  const { status, headers } = await ask(served.port, '/empty.bin', { Range: 'bytes=0-' });
  expect([status, headers['content-length']]).toEqual([200, '0']);
});

test('If-Range holds for the matching strong tag only (RFC 9110 13.1.5)', async () => {
  await using served = await serveSite({ 'a.bin': content });
  const whole = await ask(served.port, '/a.bin');
  const tag = whole.headers.etag ?? '';
  const cases: [ifRange: string, status: number][] = [
    [tag, 206],
    [`W/${tag}`, 200],
    ['"other"', 200],
    ['*', 200],
    [whole.headers['last-modified'] ?? '', 200],
  ];
  for (const [ifRange, status] of cases) {
    const headers = { Range: 'bytes=0-9', 'If-Range': ifRange };
    expect((await ask(served.port, '/a.bin', headers)).status, ifRange).toBe(status);
  }
  // A condition that fails makes the Range as if it were not there, also an unsatisfiable one.
  const beyond = { Range: 'bytes=20000-', 'If-Range': '"other"' };
  expect((await ask(served.port, '/a.bin', beyond)).status).toBe(200);
});

test('a precondition is weighed before Range (RFC 9110 13.2.2)', async () => {
  await using served = await serveSite({ 'a.bin': content });
  const tag = (await ask(served.port, '/a.bin')).headers.etag ?? '';
  const headers = { Range: 'bytes=20000-', 'If-None-Match': tag };
  expect((await ask(served.port, '/a.bin', headers)).status).toBe(304);
});

test('parts of a coded representation are parts of the coded bytes (RFC 9110 14.1)', async () => {
  const text = 'All good parts go together. '.repeat(300);
  await using served = await serveSite({ 'a.txt': text });
  const accept = { 'Accept-Encoding': 'gzip' };
  const parts: Buffer[] = [];
  const tags = new Set<string | undefined>();
  for (const range of ['bytes=0-49', 'bytes=50-']) {
    const { status, headers, body } = await ask(served.port, '/a.txt', { ...accept, Range: range });
    expect([status, headers['content-encoding']]).toEqual([206, 'gzip']);
    expect(headers.vary).toBe('Accept-Encoding');
    parts.push(body);
    tags.add(headers.etag);
  }
  expect(tags.size).toBe(1);
  expect(gunzipSync(Buffer.concat(parts)).toString()).toBe(text);
});

test('Accept-Ranges is said where a part can save a segment (RFC 9110 14.3)', async () => {
  await using served = await serveSite({ 'a.bin': content, 'b.bin': 'small' });
  expect((await ask(served.port, '/a.bin')).headers['accept-ranges']).toBe('bytes');
  expect((await ask(served.port, '/b.bin')).headers['accept-ranges']).toBeUndefined();
});
