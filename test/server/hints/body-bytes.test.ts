// The size of a response counts, also where no Content-Length says it: of what was written, as it was sent.

import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { Express, Response } from 'express';
import { describe, expect, it } from 'vitest';
import { calm, site } from './set-up.ts';

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
    const prefetchd = calm({ maxHintBytes });
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

it('what middleware behind compresses counts as it is sent', async () => {
  const prefetchd = calm({ maxHintBytes });
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
