// A transfer coding that is not taken off would hand out, and store, bytes that are not the resource's (RFC 9112 7).
// Only `chunked` is, and nothing else is asked for (TE is not sent): any other is an error, and is never stored.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFetch, loadPage } from '../../../loader/index.ts';
import { quick } from '../../support/quick-load.ts';
import { answering } from '../../support/raw-server.ts';
import { chunked, expectFetchFails } from './one-fault.ts';

const text = 'the text of it';

const wrong: Array<[string, string[], Buffer]> = [
  ['gzip, chunked', ['Transfer-Encoding: gzip, chunked'], chunked(gzipSync(text))],
  ['GZIP,chunked', ['transfer-encoding: GZIP,chunked'], chunked(gzipSync(text))],
  [
    'two fields',
    ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'],
    chunked(gzipSync(text)),
  ],
  ['x-foo, chunked', ['Transfer-Encoding: x-foo, chunked'], chunked(Buffer.from(text))],
  ['chunked, gzip', ['Transfer-Encoding: chunked, gzip'], gzipSync(chunked(Buffer.from(text)))],
  ['gzip alone', ['Transfer-Encoding: gzip'], gzipSync(text)],
  ['xchunked', ['Transfer-Encoding: xchunked'], chunked(Buffer.from(text))],
  ['chunkedx', ['Transfer-Encoding: chunkedx'], chunked(Buffer.from(text))],
  ['chunked;q=1', ['Transfer-Encoding: chunked;q=1'], chunked(Buffer.from(text))],
  ['chunked twice', ['Transfer-Encoding: chunked, chunked'], chunked(chunked(Buffer.from(text)))],
  ['an empty one', ['Transfer-Encoding: '], Buffer.from(text)],
];

describe.each(wrong)('Transfer-Encoding: %s', (_name, fields, body) => {
  const head = ['HTTP/1.1 200 OK', 'Content-Type: text/html', 'Cache-Control: max-age=60'];
  const answer = Buffer.concat([Buffer.from([...head, ...fields, '', ''].join('\r\n')), body]);
  const start = () => answering((_request, connection) => connection.end(answer));

  it('createFetch fails, and stores nothing', async () => {
    await using server = await start();
    await expectFetchFails(server.origin);
  });

  it.each(['pipelined', 'persistent'] as const)(
    'loadPage says what it is: %s',
    async (protocol) => {
      await using server = await start();
      const load = await loadPage(server.origin, { ...quick, protocol });
      expect(load.resources[0]?.error?.code).toBe('malformed-response');
    },
  );
});

it.each(['chunked', 'Chunked', ' chunked '])('%j is taken off (RFC 9112 7.1)', async (value) => {
  await using server = await answering((_request, connection) =>
    connection.write(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding:${value}\r\n\r\n`),
        chunked(Buffer.from(text)),
      ]),
    ),
  );
  await using fetch = createFetch();
  expect(await (await fetch(server.origin)).text()).toBe(text);
});

it('identity is none: the body ends with its connection (RFC 2616 4.4)', async () => {
  await using server = await answering((_request, connection) =>
    connection.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\n${text}`),
  );
  await using fetch = createFetch();
  expect(await (await fetch(server.origin)).text()).toBe(text);
});
