// `fetch` with an HTTP cache: what is asked, what is served, and what is never stored.

import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type RawHandler, response } from '../../support/raw-server.ts';
import { notModified } from '../page-cache/site.ts';
import { servedAndCached } from './cached-fetch.ts';
import { failure } from './failure.ts';

const fresh = { 'Cache-Control': 'max-age=60', ETag: '"a"' };

/** The n-th request gets 'body n', or 304 when it asks for "a". */
const counting = (fields: Record<string, string>): NonNullable<RawHandler['onRequest']> => {
  let count = 0;
  return ({ headers }, connection) => {
    const isHeld = headers['if-none-match'] === '"a"';
    connection.write(isHeld ? notModified(fields) : response(`body ${++count}`, fields));
  };
};

describe('a fresh response', () => {
  it('is served from the store, with its age', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    const { fetch, pass } = cached;
    expect(await (await fetch(server.origin)).text()).toBe('body 1');
    pass(10);
    const again = await fetch(server.origin);
    expect([await again.text(), again.status, again.url]).toEqual([
      'body 1',
      200,
      `${server.origin}/`,
    ]);
    expect(Number(again.headers.get('age'))).toBeGreaterThanOrEqual(10);
    expect(server.requests).toHaveLength(1);
  });

  it('is stored as it is coded, and decoded each time', async () => {
    const text = 'all of it '.repeat(50_000);
    const { server, cached } = await servedAndCached(
      response(gzipSync(text), { ...fresh, 'Content-Encoding': 'gzip' }),
    );
    for (let round = 0; round < 3; round++) {
      expect((await (await cached.fetch(server.origin)).text()) === text).toBe(true);
    }
    expect(server.requests).toHaveLength(1);
  });

  it('of 10 MB is the same from the store, whatever a reader does with its chunks', async () => {
    const body = Buffer.alloc(10_000_000, '0123456789');
    const { server, cached } = await servedAndCached(response(body, fresh));
    for (let round = 0; round < 3; round++) {
      const answer = await cached.fetch(server.origin);
      const chunks: Buffer[] = [];
      for await (const chunk of answer.body ?? []) {
        chunks.push(Buffer.from(chunk));
        chunk.fill(0);
        structuredClone(chunk, { transfer: [chunk.buffer as ArrayBuffer] });
      }
      expect(Buffer.concat(chunks).equals(body)).toBe(true);
    }
    expect(server.requests).toHaveLength(1);
  });

  it('answers HEAD without a body', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await (await cached.fetch(server.origin)).text();
    const head = await cached.fetch(server.origin, { method: 'HEAD' });
    expect([head.status, head.body, head.headers.get('etag')]).toEqual([200, null, '"a"']);
    expect(server.requests).toHaveLength(1);
  });

  it('a redirect is stored like any other', async () => {
    const { server, cached } = await servedAndCached(({ path }, connection) => {
      if (path === '/end') connection.write(response('end', fresh));
      else connection.write(response('', { ...fresh, Location: '/end' }, '301 Moved'));
    });
    for (let round = 0; round < 3; round++) {
      const answer = await cached.fetch(server.origin);
      expect([await answer.text(), answer.redirected]).toEqual(['end', true]);
    }
    expect(server.requests.map(({ path }) => path)).toEqual(['/', '/end']);
  });

  it('says so behind what others said, which is stored without it (RFC 9211 2.1)', async () => {
    const { server, cached } = await servedAndCached(
      counting({ ...fresh, 'Cache-Status': 'CDN; hit' }),
    );
    const said = async () => {
      const answer = await cached.fetch(server.origin);
      await answer.text();
      return answer.headers.get('cache-status');
    };
    expect([await said(), await said()]).toEqual(['CDN; hit', 'CDN; hit, loadahead; hit']);
    cached.pass(120);
    expect(await said()).toBe('CDN; hit'); // validated
  });

  it('is stored though nobody reads it', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await cached.fetch(server.origin);
    await eventually(() => cached.stored() === 1);
  });
});

describe('cache modes (Fetch Standard, "request cache mode")', () => {
  it.each([
    ['default', 'fresh', 'body 1', 1],
    ['default', 'stale', 'body 1', 2],
    ['no-store', 'fresh', 'body 2', 2],
    ['reload', 'fresh', 'body 2', 2],
    ['no-cache', 'fresh', 'body 1', 2],
    ['force-cache', 'stale', 'body 1', 1],
    ['only-if-cached', 'stale', 'body 1', 1],
  ] as const)('%s, stored and %s', async (cache, age, text, requests) => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await (await cached.fetch(server.origin)).text();
    if (age === 'stale') cached.pass(120);
    const answer = await cached.fetch(server.origin, { cache });
    expect([answer.status, await answer.text()]).toEqual([200, text]);
    expect(server.requests).toHaveLength(requests);
  });

  it('no-store stores nothing', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await (await cached.fetch(server.origin, { cache: 'no-store' })).text();
    expect(cached.stored()).toBe(0);
  });

  it('reload stores what came', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await (await cached.fetch(server.origin, { cache: 'reload' })).text();
    expect(await (await cached.fetch(server.origin)).text()).toBe('body 1');
    expect(server.requests).toHaveLength(1);
  });

  it('only-if-cached with nothing stored is 504 (RFC 9111 5.2.1.7)', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    const answer = await cached.fetch(server.origin, { cache: 'only-if-cached' });
    expect(answer.status).toBe(504);
    expect(server.connections).toEqual([]);
  });

  it("the caller's own conditions go to the server, and its 304 to the caller", async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await (await cached.fetch(server.origin)).text();
    const answer = await cached.fetch(server.origin, { headers: { 'if-none-match': '"a"' } });
    expect([answer.status, answer.body]).toEqual([304, null]);
    expect(server.requests).toHaveLength(2);
  });
});

describe('a stale response', () => {
  it('is validated; a 304 is served as 200 and makes it fresh again (RFC 9111 4.3.4)', async () => {
    const { server, cached } = await servedAndCached(({ headers }, connection) => {
      const news = { ETag: '"a"', 'Cache-Control': 'max-age=600', 'X-New': 'yes' };
      const isHeld = headers['if-none-match'] === '"a"';
      connection.write(isHeld ? notModified(news) : response('body', fresh));
    });
    await (await cached.fetch(server.origin)).text();
    cached.pass(120);
    for (let round = 0; round < 2; round++) {
      const answer = await cached.fetch(server.origin);
      expect([answer.status, await answer.text()]).toEqual([200, 'body']);
      expect(answer.headers.get('x-new')).toBe('yes');
    }
    const [, second, ...others] = server.requests;
    expect([second?.headers['if-none-match'], others]).toEqual(['"a"', []]);
  });

  it('is replaced by the 200 that comes instead', async () => {
    const lifetimes = [60, 600];
    const { server, cached } = await servedAndCached((_request, connection) => {
      const fields = { 'Cache-Control': `max-age=${lifetimes.shift()}` };
      connection.write(response(`body ${server.requests.length}`, fields));
    });
    await (await cached.fetch(server.origin)).text();
    cached.pass(120);
    expect(await (await cached.fetch(server.origin)).text()).toBe('body 2');
    expect(await (await cached.fetch(server.origin)).text()).toBe('body 2');
    expect(server.requests).toHaveLength(2);
  });

  const onError = { 'Cache-Control': 'max-age=60, stale-if-error=600', ETag: '"a"' };

  it.each([
    ['a connection that breaks', ''],
    ['503', 'HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy'],
  ])('with stale-if-error stands in for %s (RFC 5861 4)', async (_name, bytes) => {
    let broken = false;
    const { server, cached } = await servedAndCached((_request, connection) => {
      if (broken) connection.end(bytes);
      else connection.write(response('body', onError));
    });
    await (await cached.fetch(server.origin)).text();
    cached.pass(120);
    broken = true;
    const answer = await cached.fetch(server.origin);
    expect([answer.status, await answer.text()]).toEqual([200, 'body']);
  });

  const meanwhile = { 'Cache-Control': 'max-age=60, stale-while-revalidate=600', ETag: '"a"' };

  it('with stale-while-revalidate is served at once, and refreshed behind the scenes (RFC 5861 3)', async () => {
    const { server, cached } = await servedAndCached(
      (_request, connection) =>
        void connection.write(response(`body ${server.requests.length}`, meanwhile)),
    );
    await (await cached.fetch(server.origin)).text();
    cached.pass(120);
    expect(await (await cached.fetch(server.origin)).text()).toBe('body 1');
    await eventually(async () => {
      const stored = await cached.fetch(server.origin, { cache: 'only-if-cached' });
      return (await stored.text()) === 'body 2';
    }, 'the refreshed body');
    expect(server.requests).toHaveLength(2);
  });

  it('a refresh that fails, or outlives the caller, disturbs nobody', async () => {
    let broken = false;
    const { server, cached } = await servedAndCached((_request, connection) => {
      if (broken) connection.reset();
      else connection.write(response('body', meanwhile));
    });
    await (await cached.fetch(server.origin)).text();
    cached.pass(120);
    broken = true;
    const aborter = new AbortController();
    const answer = await cached.fetch(server.origin, { signal: aborter.signal });
    expect(await answer.text()).toBe('body');
    aborter.abort();
    await eventually(() => server.requests.length > 1);
    await cached[Symbol.asyncDispose]();
    await Promise.all(server.connections.map(({ closed }) => closed));
  });
});

describe('what another method does', () => {
  it('a POST makes what is stored for its URL outdated (RFC 9111 4.4), read or not', async () => {
    const { server, cached } = await servedAndCached(counting(fresh));
    await (await cached.fetch(server.origin)).text();
    await cached.fetch(server.origin, { method: 'POST' });
    expect(await (await cached.fetch(server.origin)).text()).toBe('body 3');
  });
});

describe('what is never stored', () => {
  // Bodies that are cut are in ../faults/truncated.test.ts.
  it('a body of unknown length', async () => {
    const { server, cached } = await servedAndCached((_request, connection) =>
      connection.end('HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\nten bytes.'),
    );
    for (let round = 1; round <= 2; round++) {
      expect(await (await cached.fetch(server.origin)).text()).toBe('ten bytes.');
      expect(server.requests).toHaveLength(round);
    }
    expect(cached.stored()).toBe(0);
  });

  it.each([
    ['broken', Buffer.from('no gzip')],
    ['cut', gzipSync('whole').subarray(0, -10)],
  ])('a body whose coding is %s', async (_name, bytes) => {
    const coded = response(bytes, { ...fresh, 'Content-Encoding': 'gzip' });
    const { server, cached } = await servedAndCached(coded);
    const answer = await cached.fetch(server.origin);
    expect(await failure(answer.text())).toBe('coding-broken');
    expect(cached.stored()).toBe(0);
  });

  it('a body the caller gave up', async () => {
    const { server, cached } = await servedAndCached(response(Buffer.alloc(1_000_000), fresh));
    await (await cached.fetch(server.origin)).body?.cancel();
    await server.connections[0]?.closed;
    expect(cached.stored()).toBe(0);
  });

  it.each([
    ['persistent', 1], // the first of a connection, and alone on it then
    ['pipelined', 0],
  ] as const)(
    '%s: an answer with another behind it, and those before it that are not certain',
    async (protocol, certain) => {
      const { server, cached } = await servedAndCached(
        ({ path }, connection) => {
          const answer = response(path, fresh);
          connection.write(path === '/twice' ? Buffer.concat([answer, answer]) : answer);
        },
        { protocol, connections: 1 },
      );
      const paths = ['/0', '/1', '/2', '/twice'];
      const all = paths.map(async (path) => {
        const answer = await cached.fetch(`${server.origin}${path}`);
        return await answer.text();
      });
      await Promise.allSettled(all);
      await server.connections[0]?.closed;
      await eventually(() => cached.stored() === certain, 'nothing in doubt is stored');
      const again = await cached.fetch(`${server.origin}/1`);
      expect(await again.text()).toBe('/1');
      expect(server.requests.filter(({ path }) => path === '/1')).toHaveLength(2);
    },
  );
});

describe('a cache that is gone', () => {
  it('fails a call, and spoils no response that is under way', async () => {
    let release = (): void => {};
    const { server, cached } = await servedAndCached((_request, connection) => {
      connection.write('HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 4\r\n\r\n');
      release = () => connection.write('body');
    });
    const answer = await cached.fetch(server.origin);
    cached.cache.close();
    release();
    expect(await answer.text()).toBe('body');
    expect(await failure(cached.fetch(server.origin))).toBe('loader-closed');
  });
});
