// What a prefetched document needs, found as it comes: the same in every chunking and coding.

import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { DocumentScan } from '../../../loader/prefetch/document-scan.ts';
import { resolveOptions } from '../../../loader/resolve-options.ts';
import { response } from '../../support/raw-server.ts';
import { fresh, link, prefetches, startSite, visit } from './site.ts';

const defaults = resolveOptions();

const url = 'http://one.example/next';
const html = Buffer.from(
  '<img src=/ä.gif><img src=http://two.example/b.gif><script src=c.js></script><img src=/ä.gif>' +
    '<link rel=stylesheet href=//one.example/d.css><img src=https://one.example/e.gif><p>the end',
);
const needs = [
  { url: 'http://one.example/%C3%A4.gif', kind: 'image' },
  { url: 'http://one.example/c.js', kind: 'script' },
  { url: 'http://one.example/d.css', kind: 'stylesheet' },
];

function scan(contentEncoding = '', maxReferences = 100, onFound = () => {}, charset = 'utf-8') {
  const limits = { ...defaults.limits, maxReferences };
  const contentType = charset === '' ? 'text/html' : `text/html; charset=${charset}`;
  return new DocumentScan({ scanner: { url, contentType }, contentEncoding, limits, onFound });
}

const cuts = (body: Buffer, bytes: number): Buffer[] =>
  Array.from({ length: Math.ceil(body.length / bytes) }, (_, at) =>
    body.subarray(at * bytes, (at + 1) * bytes),
  );

describe('all of its own origin, once, in the order of the document', () => {
  test.each<[string, (body: Buffer) => Buffer]>([
    ['', (body) => body],
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['gzip, gzip', (body) => gzipSync(gzipSync(body))],
  ])('coding %j', async (coding, coded) => {
    const body = coded(html);
    for (const bytes of [1, 7, body.length]) {
      const found = scan(coding);
      // Not awaited: they are taken in their order all the same.
      for (const chunk of cuts(body, bytes)) void found.write(chunk);
      await found.end();
      expect(found.take()).toEqual(needs);
      expect(found.take()).toEqual([]);
    }
  });
});

test('each is told when it is there, and may be taken then', () => {
  const taken: string[][] = [];
  const found = scan('', 100, () => taken.push(found.take().map((need) => need.url)));
  for (const chunk of cuts(html, 1)) found.write(chunk);
  expect(taken).toEqual(needs.map((need) => [need.url]));
});

test('no more than `limits.maxReferences`', async () => {
  const found = scan('', 2);
  found.write(html);
  await found.end();
  expect(found.take()).toEqual(needs.slice(0, 2));
});

test('a short one that says nothing of its charset is read at its end', async () => {
  const found = scan('', 100, () => {}, '');
  found.write(html);
  await found.end();
  expect(found.take().map((need) => need.kind)).toEqual(['image', 'script', 'stylesheet']);
});

test('what does not decode ends it', async () => {
  const body = gzipSync(html);
  const found = scan('gzip');
  void found.write(Buffer.concat([body.subarray(0, 12), Buffer.alloc(50, 0xff)]));
  await found.end();
  expect(found.take()).toEqual([]);
  expect(() => scan('rot13')).toThrow('rot13');
});

test('of a bomb 4 MiB are looked through', async () => {
  const filler = Buffer.alloc(5 * 1024 * 1024, ' ');
  const found = scan('gzip');
  const bomb = Buffer.concat([
    Buffer.from('<img src=/a.gif>'),
    filler,
    Buffer.from('<img src=/b.gif>'),
  ]);
  void found.write(gzipSync(bomb));
  await found.end();
  expect(found.take()).toEqual([{ url: 'http://one.example/a.gif', kind: 'image' }]);
});

test('nothing in what is no HTML', async () => {
  await using server = await startSite(link('/next'), ({ path }) =>
    path === '/next'
      ? response('<img src=/a.gif>', { ...fresh, 'Content-Type': 'text/plain' })
      : undefined,
  );
  await visit(server, { subresources: true });
  expect(prefetches(server)).toEqual(['/next']);
});
