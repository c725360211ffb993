// A coded body whose segments come apart: decoding pauses the connection, and what resumes it must
// not go round in circles. Twice in one process: the first time, loading code takes long enough to
// hide it.

import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import { startRawServer } from '../../support/raw-server.ts';

const html = Array.from({ length: 400 }, (_, index) => `<p id=${index * 7919}>${index ** 3}`).join(
  '',
);

it.each(['pipelined', 'http1.0'] as const)(
  '%s: a gzip body in chunks and segments of its own is decoded, again and again',
  async (protocol) => {
    const coded = gzipSync(html);
    const head =
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n';
    const answer = Buffer.concat([
      Buffer.from(`${head}${coded.length.toString(16)}\r\n`),
      coded,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    const half = answer.length - (coded.length >> 1);
    await using server = await startRawServer({
      async onRequest(_request, connection) {
        connection.write(answer.subarray(0, half));
        // The client reads the first segment before the second is there.
        for (let turn = 0; turn < 20; turn++) await once(setImmediateEmitter(), 'turn');
        connection.write(answer.subarray(half));
      },
    });
    for (let time = 0; time < 3; time++) {
      const load = await loadPage(server.origin, { protocol, timeouts: { pageMs: 5_000 } });
      expect(load.resources[0]?.error).toBeNull();
      expect(load.totals.bodyBytes).toBe(html.length);
    }
  },
);

function setImmediateEmitter(): EventTarget {
  const target = new EventTarget();
  setImmediate(() => target.dispatchEvent(new Event('turn')));
  return target;
}
