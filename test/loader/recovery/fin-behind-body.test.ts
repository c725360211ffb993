// A server may close right behind a response whose length it gave (RFC 9112 9.6): all bytes are there, so the body
// is whole, however long its reader takes with them.

import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFetch, loadPage } from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { quick } from '../../support/quick-load.ts';
import { answering, response } from '../../support/raw-server.ts';

const text = Array.from({ length: 20_000 }, (_, index) => `<p>${index * 7_919}</p>`).join('\n');
const coded: Array<[string, Buffer, Record<string, string>]> = [
  ['gzip', gzipSync(text), { 'Content-Encoding': 'gzip' }],
  ['deflate', deflateSync(text), { 'Content-Encoding': 'deflate' }],
  ['deflate without a header', deflateRawSync(text), { 'Content-Encoding': 'deflate' }],
  ['no coding', Buffer.from(text), {}],
];

describe.each(coded)('%s, a length, and FIN right behind', (_name, body, headers) => {
  const answer = response(body, { 'Content-Type': 'text/html', ...headers });
  const start = () => answering((_request, connection) => connection.end(answer));

  it('createFetch has all of it', async () => {
    await using server = await start();
    await using fetch = createFetch();
    for (let time = 0; time < 5; time++)
      expect(await (await fetch(server.origin)).text()).toBe(text);
  });

  it.each<Protocol>(['persistent', 'pipelined', 'http1.0', 'auto'])(
    'loadPage has all of it: %s',
    async (protocol) => {
      await using server = await start();
      const load = await loadPage(server.origin, { ...quick, protocol });
      const [root] = load.resources;
      expect([root?.error, root?.bodyBytes]).toEqual([null, text.length]);
      expect(server.requests.length).toBe(1);
    },
  );

  it('createFetch has all of it when it is read slowly, while the connection ends', async () => {
    await using server = await start();
    await using fetch = createFetch();
    const pieces: Uint8Array[] = [];
    for await (const piece of (await fetch(server.origin)).body ?? []) {
      pieces.push(piece);
      await new Promise(setImmediate);
    }
    expect(Buffer.concat(pieces).toString()).toBe(text);
  });
});
