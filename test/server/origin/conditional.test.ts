// Validators and preconditions (RFC 9110 8.8 and 13), asked over a socket.

import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ask } from '../raw-client.ts';
import { serveSite } from '../site.ts';

const files = { 'a.gif': 'GIF89a some bytes', 'a.html': `<p>${'text '.repeat(400)}` };

test('an entity tag is strong and follows the content, not the time (RFC 9110 8.8.1, 8.8.3)', async () => {
  await using served = await serveSite({ ...files, 'same.gif': files['a.gif'] });
  const { port, site } = served;
  const first = await ask(port, '/a.gif');
  expect(first.headers.etag).toMatch(/^"[\w-]{12}"$/);
  expect((await ask(port, '/same.gif')).headers.etag).toBe(first.headers.etag);
  await site.write('a.gif', 'GIF89a other byte');
  const changed = await ask(port, '/a.gif');
  expect(changed.body.toString()).toBe('GIF89a other byte');
  expect(changed.headers.etag).not.toBe(first.headers.etag);
  await site.write('a.gif', files['a.gif']);
  expect((await ask(port, '/a.gif')).headers.etag).toBe(first.headers.etag);
});

test('Last-Modified is the time of the file, never later than Date (RFC 9110 8.8.2.1)', async () => {
  await using served = await serveSite(files);
  const path = join(served.site.folder, 'a.gif');
  await utimes(path, 784111777, 784111777);
  const past = await ask(served.port, '/a.gif');
  expect(past.headers['last-modified']).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
  const soon = Date.now() / 1000 + 3600;
  await utimes(path, soon, soon);
  const { headers } = await ask(served.port, '/a.gif');
  expect(Date.parse(headers['last-modified'] ?? '')).toBeLessThanOrEqual(
    Date.parse(headers.date ?? ''),
  );
});

test('a 304 carries what a 200 would carry for a cache and nothing more (RFC 9110 15.4.5)', async () => {
  await using served = await serveSite(files, { maxAgeSeconds: 60 });
  const accept = { 'Accept-Encoding': 'gzip' };
  const full = await ask(served.port, '/a.html', accept);
  const { status, headers, body } = await ask(served.port, '/a.html', {
    ...accept,
    'If-None-Match': full.headers.etag ?? '',
  });
  expect(status).toBe(304);
  expect(body).toHaveLength(0);
  expect(headers).toEqual({
    'cache-control': 'max-age=60',
    vary: 'Accept-Encoding',
    etag: full.headers.etag,
    date: expect.any(String),
    connection: 'close',
  });
});

test('preconditions are weighed in the order of RFC 9110 13.2.2', async () => {
  await using served = await serveSite(files);
  const { port, site } = served;
  await utimes(join(site.folder, 'a.gif'), 784111777, 784111777);
  const modified = 'Sun, 06 Nov 1994 08:49:37 GMT';
  const before = 'Sun, 06 Nov 1994 08:49:36 GMT';
  const after = 'Sun, 06 Nov 1994 08:49:38 GMT';
  const tag = (await ask(port, '/a.gif')).headers.etag ?? '';
  const cases: [rule: string, status: number, headers: Record<string, string>][] = [
    ['13.1.2: the tag', 304, { 'If-None-Match': tag }],
    ['13.1.2: weak comparison', 304, { 'If-None-Match': `W/${tag}` }],
    ['13.1.2: one of a list', 304, { 'If-None-Match': `"x", ${tag} , "y"` }],
    ['13.1.2: *', 304, { 'If-None-Match': '*' }],
    ['13.1.2: another tag', 200, { 'If-None-Match': '"x"' }],
    ['13.1.2: not a tag', 200, { 'If-None-Match': tag.slice(1, -1) }],
    ['13.1.3: not modified since', 304, { 'If-Modified-Since': modified }],
    ['13.1.3: a later date', 304, { 'If-Modified-Since': after }],
    ['13.1.3: modified since', 200, { 'If-Modified-Since': before }],
    ['13.1.3: not a date', 200, { 'If-Modified-Since': 'yesterday' }],
    ['13.1.3: ignored beside a tag', 200, { 'If-None-Match': '"x"', 'If-Modified-Since': after }],
    ['13.2.2: If-None-Match decides', 304, { 'If-None-Match': tag, 'If-Modified-Since': before }],
    ['13.1.1: the tag', 200, { 'If-Match': tag }],
    ['13.1.1: *', 200, { 'If-Match': '*' }],
    ['13.1.1: another tag', 412, { 'If-Match': '"x"' }],
    ['13.1.1: strong comparison', 412, { 'If-Match': `W/${tag}` }],
    ['13.1.4: modified since', 412, { 'If-Unmodified-Since': before }],
    ['13.1.4: not modified since', 200, { 'If-Unmodified-Since': modified }],
    ['13.1.4: not a date', 200, { 'If-Unmodified-Since': 'yesterday' }],
    ['13.1.4: ignored beside If-Match', 200, { 'If-Match': tag, 'If-Unmodified-Since': before }],
    ['13.2.2: If-Match before If-None-Match', 412, { 'If-Match': '"x"', 'If-None-Match': tag }],
    ['13.2.2: both hold', 304, { 'If-Match': tag, 'If-None-Match': tag }],
    ['no-cache speaks to caches', 304, { 'If-None-Match': tag, 'Cache-Control': 'no-cache' }],
  ];
  for (const [rule, status, headers] of cases) {
    expect([rule, (await ask(port, '/a.gif', headers)).status]).toEqual([rule, status]);
    expect([rule, (await ask(port, '/a.gif', headers, 'HEAD')).status]).toEqual([rule, status]);
  }
});
