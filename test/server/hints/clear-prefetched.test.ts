// clearPrefetched on responses of node:http and Express.

import { createServer, type RequestListener } from 'node:http';
import express from 'express';
import { describe, expect, it } from 'vitest';
import { clearPrefetched } from '../../../server/index.ts';
import { listening } from '../listening.ts';

const both = '"prefetchCache", "prerenderCache"';

async function cleared(listener: RequestListener): Promise<string | null> {
  const server = createServer(listener);
  const port = await listening(server);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  await response.text();
  return response.headers.get('clear-site-data');
}

const answering =
  (own?: string | string[]): RequestListener =>
  (_, res) => {
    if (own !== undefined) res.setHeader('Clear-Site-Data', own);
    clearPrefetched(res);
    res.end();
  };

describe('clearPrefetched', () => {
  it.each([
    ['nothing', undefined, both],
    ['a value', '"cookies"', `"cookies", ${both}`],
    ['lines', ['"cache"', '"storage"'], `"cache", "storage", ${both}`],
    ['one of both', '"prerenderCache"', '"prerenderCache", "prefetchCache"'],
    ['both', '"prerenderCache","prefetchCache"', '"prerenderCache","prefetchCache"'],
  ])('where the site clears %s itself', async (_, own, expected) => {
    expect(await cleared(answering(own))).toBe(expected);
  });

  it('twice is as once, and works in Express', async () => {
    const app = express();
    app.get('/', (_, res) => {
      clearPrefetched(res);
      clearPrefetched(res);
      res.send('welcome');
    });
    expect(await cleared(app)).toBe(both);
  });

  it('throws after the header was sent', async () => {
    let thrown: unknown;
    await cleared((_, res) => {
      res.write('welcome');
      try {
        clearPrefetched(res);
      } catch (error) {
        thrown = error;
      }
      res.end();
    });
    expect(thrown).toMatchObject({ name: 'ServerError', code: 'headers-sent' });
    expect(String(thrown)).toContain('call it before write, end or send');
  });
});
