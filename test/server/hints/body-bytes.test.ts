// The size of a response counts, also where no Content-Length says it: of what was written, as it was sent.

import { once } from 'node:events';
import {
  type ClientSessionOptions,
  connect,
  createServer,
  type Http2ServerResponse,
} from 'node:http2';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Express, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { withConstants } from '../../../options/options.ts';
import { hints } from '../../../server/index.ts';
import { eventually } from '../../support/eventually.ts';
import { listening } from '../listening.ts';
import { browser, calm, site } from './set-up.ts';

const ways: Record<string, (res: Response, text: string) => void> = {
  'end alone': (res, text) => void res.end(text),
  'end with an encoding': (res, text) => void res.end(Buffer.from(text).toString('hex'), 'hex'),
  'write and end': (res, text) => {
    res.write(text.slice(0, 100));
    res.write(Buffer.from(text.slice(100, 200)));
    res.end(text.slice(200));
  },
  'write, then end with nothing': (res, text) => {
    res.write(text);
    res.end();
  },
  'flushed head': (res, text) => {
    res.flushHeaders();
    res.end(text);
  },
  'a pipe': (res, text) => void Readable.from([text.slice(0, 7), text.slice(7)]).pipe(res),
  'Content-Length': (res, text) => void res.set('Content-Length', `${text.length}`).end(text),
};

const maxHintBytes = 1000;

describe.each(Object.keys(ways))('%s', (way) => {
  it.each([
    [900, true],
    [1100, false],
  ])('%d bytes', async (bytes, isHinted) => {
    const prefetchd = calm(withConstants({ maxHintBytes }));
    await using shop = await site({ prefetchd }, (app: Express) =>
      app.get('/b', (_, res) => {
        res.setHeader('Content-Type', 'text/html');
        ways[way]?.(res, 'x'.repeat(bytes));
      }),
    );
    await shop.teach('/a', '/b');
    expect((await shop.visit('/b')).body).toBe('x'.repeat(bytes));
    expect(prefetchd.hints({ url: '/a' }).length > 0).toBe(isHinted);
  });
});

/** Three visitors with a connection each read /a and /b, whose body is written this way. */
async function learnedOverHttp2(write: (res: Http2ServerResponse) => void) {
  const prefetchd = calm(withConstants({ maxHintBytes }));
  await using prefetch = hints({ prefetchd });
  const server = createServer((req, res) => {
    prefetch(req, res, () => {
      res.setHeader('Content-Type', 'text/html');
      if (req.url === '/b') write(res);
      else res.end('<p>a');
    });
  });
  const port = await listening(server);
  for (const localAddress of ['127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    const session = connect(`http://127.0.0.1:${port}`, { localAddress } as ClientSessionOptions);
    for (const path of ['/a', '/b']) {
      const seen = prefetchd.stats().learned.document;
      const stream = session.request({ ':path': path, 'user-agent': browser, accept: 'text/html' });
      stream.resume();
      await once(stream, 'close');
      await eventually(() => prefetchd.stats().learned.document > seen, `${path} is learned`);
    }
    session.close();
  }
  return prefetchd;
}

describe.each<[string, (res: Http2ServerResponse, text: string) => void]>([
  ['end alone', (res, text) => void res.end(text)],
  ['write and end', (res, text) => void res.write(text, () => res.end())],
  ['a pipe', (res, text) => void Readable.from([text.slice(0, 7), text.slice(7)]).pipe(res)],
])('over HTTP/2, %s', (_, write) => {
  it.each([
    [900, 1],
    [1100, 0],
  ])('%d bytes', async (bytes, hinted) => {
    const prefetchd = await learnedOverHttp2((res) => write(res, 'x'.repeat(bytes)));
    expect(prefetchd.hints({ url: '/a' })).toHaveLength(hinted);
  });
});

it('what middleware behind compresses counts as it is sent', async () => {
  const prefetchd = calm(withConstants({ maxHintBytes }));
  await using shop = await site({ prefetchd }, (app: Express) =>
    app.get('/b', (_, res) => {
      res.set({ 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(res);
      gzip.end('x'.repeat(10 * maxHintBytes));
    }),
  );
  await shop.teach('/a', '/b');
  expect(prefetchd.hints({ url: '/a' })).toHaveLength(1);
});
