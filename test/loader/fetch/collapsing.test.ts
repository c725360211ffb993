// Calls for one URL at one time: one request, where its response may answer the others (RFC 9111 4).

import { describe, expect, it, onTestFinished } from 'vitest';
import type { FetchOptions } from '../../../loader/fetch/fetch.ts';
import { eventually } from '../../support/eventually.ts';
import {
  type RawConnection,
  type RawServer,
  response,
  type SeenRequest,
  startRawServer,
} from '../../support/raw-server.ts';
import { type CachedFetch, cachedFetch } from './cached-fetch.ts';
import { failure } from './failure.ts';

const fresh = { 'Cache-Control': 'max-age=60', ETag: '"a"' };

interface Site {
  server: RawServer;
  /** Requests that wait for their answer, oldest first. */
  waiting: [SeenRequest, RawConnection][];
  cached: CachedFetch;
  fetch: CachedFetch['fetch'];
  /** Resolves when as many requests have come. */
  came(requests: number): Promise<void>;
  /** Answers the oldest that waits. */
  answer(bytes: Buffer | string): RawConnection;
}

/** A site that answers when it is told to. */
async function site(options: FetchOptions = {}): Promise<Site> {
  const waiting: Site['waiting'] = [];
  const server = await startRawServer({
    onRequest: (request, connection) => void waiting.push([request, connection]),
  });
  const cached = cachedFetch(options);
  onTestFinished(async () => {
    await cached[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  return {
    ...{ server, waiting, cached, fetch: cached.fetch },
    came: (requests) =>
      eventually(() => server.requests.length >= requests, `${requests} requests`),
    answer(bytes) {
      const [, connection] = waiting.shift() as [SeenRequest, RawConnection];
      connection.write(bytes);
      return connection;
    },
  };
}

const texts = (answers: Promise<Response>[]) =>
  Promise.all(answers.map(async (answer) => (await answer).text()));
const statuses = async (answers: Promise<Response>[]) =>
  (await Promise.all(answers)).map(({ headers }) => headers.get('cache-status'));
/** Whoever would send a second request has done so. */
const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('calls for one URL while it is being fetched', () => {
  it('wait for the response, and get it from the store; Cache-Status says so (RFC 9211 2.6)', async () => {
    const { server, fetch, came, answer } = await site();
    const calls = Array.from({ length: 5 }, () => fetch(server.origin));
    await came(1);
    answer(response('once', fresh));
    expect(await texts(calls)).toEqual(Array(5).fill('once'));
    expect(await statuses(calls)).toEqual([
      'loadahead; fwd=miss',
      ...Array(4).fill('loadahead; fwd=miss; collapsed'),
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it('also one that comes while the body does', async () => {
    const { server, fetch, came, answer } = await site();
    const first = fetch(server.origin);
    await came(1);
    const whole = response('first half, second half', fresh);
    const connection = answer(whole.subarray(0, -5));
    await first;
    const second = fetch(server.origin);
    await turns();
    connection.write(whole.subarray(-5));
    expect(await texts([first, second])).toEqual(Array(2).fill('first half, second half'));
    expect(server.requests).toHaveLength(1);
  });

  it('wait for a validation too: one 304 serves all', async () => {
    const { server, cached, fetch, came, answer } = await site();
    const stored = fetch(server.origin);
    await came(1);
    answer(response('stored', fresh));
    await (await stored).text();
    cached.pass(61);
    const calls = Array.from({ length: 3 }, () => fetch(server.origin));
    await came(2);
    answer('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nCache-Control: max-age=600\r\n\r\n');
    expect(await texts(calls)).toEqual(Array(3).fill('stored'));
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ['no-store', { 'Cache-Control': 'no-store' }],
    ['of another variant', { ...fresh, Vary: 'X-User' }],
    ['Vary: *', { ...fresh, Vary: '*' }],
    ['to be asked about each time', { 'Cache-Control': 'no-cache', ETag: '"a"' }],
    ['stale from the start', { 'Cache-Control': 'max-age=0', ETag: '"a"' }],
  ])(
    'go to the network at its header section when it is no answer to them: %s',
    async (_name, fields) => {
      const { server, fetch, came, answer } = await site();
      const calls = ['one', 'two', 'three'].map((user) =>
        fetch(server.origin, { headers: { 'X-User': user } }),
      );
      await came(1);
      // The first never comes to its end.
      answer(response('first', { ...fields, 'Content-Length': '9' }));
      await came(3);
      answer(response('second', fields));
      answer(response('third', fields));
      expect((await texts(calls.slice(1))).sort()).toEqual(['second', 'third']);
    },
  );

  it('of a variant wait for that variant only (RFC 9111 4.1)', async () => {
    const { server, fetch, came, answer } = await site();
    const say = (language: string) =>
      fetch(server.origin, { headers: { 'Accept-Language': language } });
    const calls = [say('en'), say('en'), say('de')];
    await came(1);
    answer(response('english', { ...fresh, Vary: 'Accept-Language' }));
    await came(2);
    answer(response('deutsch', { ...fresh, Vary: 'Accept-Language' }));
    expect(await texts(calls)).toEqual(['english', 'english', 'deutsch']);
  });

  it('with other credentials do not wait at all', async () => {
    const { server, fetch, came, answer } = await site();
    const as = (user: string) => fetch(server.origin, { headers: { Authorization: user } });
    const calls = [as('a'), as('b')];
    await came(2);
    answer(response('one', fresh));
    answer(response('two', fresh));
    expect((await texts(calls)).sort()).toEqual(['one', 'two']);
  });

  it.each([
    ['no-store', { cache: 'no-store' }],
    ['reload', { cache: 'reload' }],
    ['no-cache', { cache: 'no-cache' }],
    ['POST', { method: 'POST' }],
    ['HEAD', { method: 'HEAD' }],
    ['a range', { headers: { Range: 'bytes=0-1' } }],
    ['conditions of its own', { headers: { 'If-None-Match': '"x"' } }],
    ['Cache-Control of its own', { headers: { 'Cache-Control': 'max-age=0' } }],
  ] satisfies [string, RequestInit][])('%s waits for nobody', async (_name, init) => {
    const { server, fetch, came, waiting } = await site();
    const first = fetch(server.origin);
    await came(1);
    const second = fetch(server.origin, init);
    await came(2);
    for (const [, connection] of waiting) connection.end(response('', fresh));
    await Promise.all([first, second]);
  });
});

describe('the first one', () => {
  it('aborted: another goes in its place, and nobody else fails', async () => {
    const { server, fetch, came, answer, waiting } = await site();
    const abort = new AbortController();
    const first = fetch(server.origin, { signal: abort.signal });
    await came(1);
    const others = [fetch(server.origin), fetch(server.origin)];
    await turns();
    abort.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    await came(3);
    waiting.shift();
    answer(response('second', fresh));
    answer(response('third', fresh));
    expect((await texts(others)).sort()).toEqual(['second', 'third']);
  });

  it('goes on when one that waits is aborted', async () => {
    const { server, fetch, came, answer } = await site();
    const abort = new AbortController();
    const first = fetch(server.origin);
    await came(1);
    const second = fetch(server.origin, { signal: abort.signal });
    await turns();
    abort.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    answer(response('first', fresh));
    expect(await texts([first])).toEqual(['first']);
    expect(server.requests).toHaveLength(1);
  });

  it('failing fails by itself: the others ask for themselves', async () => {
    const { server, fetch, came, waiting, answer } = await site();
    const first = failure(fetch(server.origin));
    const second = fetch(server.origin);
    await came(1);
    waiting.shift()?.[1].end('garbage\r\n\r\n');
    await came(2);
    answer(response('second', fresh));
    expect(await first).toBe('malformed-response');
    expect(await texts([second])).toEqual(['second']);
  });

  it('whose body nobody reads holds up nobody', async () => {
    const { server, fetch, came, answer } = await site();
    const first = fetch(server.origin);
    await came(1);
    const large = Buffer.alloc(4_000_000, 'x');
    answer(response(large, fresh));
    await first; // and its body stays where it is
    const second = fetch(server.origin);
    await came(2);
    answer(response('second', fresh));
    expect(await texts([second])).toEqual(['second']);
  });

  it('that is cancelled in its body lets the others go', async () => {
    const { server, fetch, came, answer } = await site();
    const first = fetch(server.origin);
    await came(1);
    answer(response('part', { ...fresh, 'Content-Length': '100' }));
    const second = fetch(server.origin);
    await (await first).body?.cancel();
    await came(2);
    answer(response('second', fresh));
    expect(await texts([second])).toEqual(['second']);
  });

  it('is waited for no longer than timeouts.responseMs', async () => {
    const { server, fetch, came, answer } = await site({ timeouts: { responseMs: 150 } });
    const first = fetch(server.origin);
    await came(1);
    // Its header section is there in time; its body drags on.
    answer(response('part', { ...fresh, 'Content-Length': '100' }));
    await first;
    const second = fetch(server.origin);
    await came(2);
    answer(response('second', fresh));
    expect(await texts([second])).toEqual(['second']);
  });

  it('destroying the function ends those that wait', async () => {
    const { server, fetch, came } = await site();
    const calls = [fetch(server.origin), fetch(server.origin)].map((call) => failure(call));
    await came(1);
    await fetch.destroy();
    expect(await Promise.all(calls)).toEqual(['loader-closed', 'loader-closed']);
  });
});
