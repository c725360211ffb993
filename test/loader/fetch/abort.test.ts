// Signals: whenever they come, the caller gets the reason, and nothing is left behind.

import { describe, expect, it } from 'vitest';
import { createFetch } from '../../../loader/fetch/fetch.ts';
import { eventually } from '../../support/eventually.ts';
import { response } from '../../support/raw-server.ts';
import { served } from './cached-fetch.ts';
import { failure } from './failure.ts';

const reason = new Error('mine');
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n';

/** What a promise is rejected with. */
const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('it was not rejected'),
    (error: unknown) => error,
  );

describe('a signal', () => {
  it('that is aborted already: nothing is sent', async () => {
    const { server, fetch } = await served(() => {});
    const signal = AbortSignal.abort(reason);
    expect(await rejection(fetch(server.origin, { signal }))).toBe(reason);
    const request = new Request(server.origin, { signal });
    expect(await rejection(fetch(request))).toBe(reason);
    expect(server.connections).toEqual([]);
  });

  it('while the body of the request is gathered', async () => {
    await using fetch = createFetch();
    const aborter = new AbortController();
    let cancelled: unknown;
    const body = new ReadableStream({
      pull: () => aborter.abort(reason),
      cancel: (why) => {
        cancelled = why;
      },
    });
    const init = { method: 'POST', body, duplex: 'half' as const, signal: aborter.signal };
    expect(await rejection(fetch('http://127.0.0.1:9/', init))).toBe(reason);
    expect(cancelled).toBe(reason);
  });

  it('before the header section: the connection ends, the next call has another', async () => {
    const aborter = new AbortController();
    const { server, fetch } = await served(
      ({ path }, connection) => {
        if (path === '/slow') aborter.abort(reason);
        else connection.write(response('next'));
      },
      { connections: 1 },
    );
    const { signal } = aborter;
    expect(await rejection(fetch(`${server.origin}/slow`, { signal }))).toBe(reason);
    await server.connections[0]?.closed;
    expect(await (await fetch(server.origin)).text()).toBe('next');
    expect(server.requests).toHaveLength(2);
  });

  it('inside the body: the reader gets the reason, the connection ends', async () => {
    const { server, fetch } = await served((_request, connection) =>
      connection.write(`${head}some`),
    );
    const aborter = new AbortController();
    const answer = await fetch(server.origin, { signal: aborter.signal });
    const text = rejection(answer.text());
    aborter.abort(reason);
    expect(await text).toBe(reason);
    await server.connections[0]?.closed;
    expect(server.requests).toHaveLength(1);
  });

  it('while it waits for a connection: it is never sent', async () => {
    const { server, fetch } = await served(
      ({ path }, connection) => connection.write(`${head}${path}`),
      { connections: 1 },
    );
    const first = await fetch(`${server.origin}/first`);
    const aborter = new AbortController();
    const second = rejection(fetch(`${server.origin}/second`, { signal: aborter.signal }));
    const third = fetch(`${server.origin}/third`);
    aborter.abort(reason);
    expect(await second).toBe(reason);
    await first.body?.cancel();
    await third;
    expect(server.requests.map(({ path }) => path)).toEqual(['/first', '/third']);
  });

  it('between two hops of a redirect', async () => {
    const aborter = new AbortController();
    const { server, fetch } = await served(({ path }, connection) => {
      if (path === '/end') aborter.abort(reason);
      else connection.write(response('', { Location: '/end' }, '302 Found'));
    });
    expect(await rejection(fetch(server.origin, { signal: aborter.signal }))).toBe(reason);
  });

  it('after everything came: nothing happens, and no listener is left', async () => {
    const { server, fetch } = await served((_request, connection) =>
      connection.write(response('all')),
    );
    const aborter = new AbortController();
    let listeners = 0;
    const { signal } = aborter;
    const [add, remove] = [signal.addEventListener, signal.removeEventListener];
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add.apply(signal, args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove.apply(signal, args);
    };
    const text = await (await fetch(server.origin, { signal })).text();
    aborter.abort(reason);
    expect([text, listeners]).toEqual(['all', 0]);
  });

  it.each(['persistent', 'pipelined'] as const)(
    '%s: it ends nobody else’s response',
    async (protocol) => {
      const aborter = new AbortController();
      const { server, fetch } = await served(
        ({ path }, connection) => {
          if (path === '/slow' && server.requests.length > 1) aborter.abort(reason);
          if (path !== '/slow') connection.write(response(path));
        },
        { protocol },
      );
      const first = await fetch(`${server.origin}/first`);
      const slow = rejection(fetch(`${server.origin}/slow`, { signal: aborter.signal }));
      const beside = fetch(`${server.origin}/beside`).then((answer) => answer.text());
      expect(await slow).toBe(reason);
      expect([await first.text(), await beside]).toEqual(['/first', '/beside']);
    },
  );
});

describe('pipelined: another request on the connection of one that is aborted', () => {
  it('is not told that it was aborted, when it was being read', async () => {
    const { server, fetch } = await served(
      ({ path }, connection) => {
        if (path === '/read') connection.write(`${head}part`);
      },
      { protocol: 'pipelined' },
    );
    const read = await fetch(`${server.origin}/read`);
    const aborter = new AbortController();
    const aborted = fetch(`${server.origin}/aborted`, { signal: aborter.signal });
    await eventually(() => server.requests.length === 2);
    aborter.abort(reason);
    expect(await rejection(aborted)).toBe(reason);
    expect(await failure(read.text())).toBe('connection-lost');
  });

  it('is not told that it was aborted, when it must not be sent twice', async () => {
    const { server, fetch } = await served(() => {}, { protocol: 'pipelined' });
    const aborter = new AbortController();
    const posted = failure(fetch(server.origin, { method: 'POST' }));
    const aborted = fetch(server.origin, { signal: aborter.signal });
    await eventually(() => server.requests.length === 2);
    aborter.abort(reason);
    expect(await rejection(aborted)).toBe(reason);
    expect(await posted).toBe('connection-lost');
  });
});

describe('close', () => {
  it('ends what is under way with loader-closed, and what comes later', async () => {
    const { server, fetch } = await served(({ path }, connection) => {
      if (path === '/body') connection.write(`${head}some`);
    });
    const answer = await fetch(`${server.origin}/body`);
    const body = failure(answer.text());
    const waiting = failure(fetch(`${server.origin}/waiting`));
    await eventually(() => server.requests.length === 2);
    await fetch.destroy();
    expect([await body, await waiting]).toEqual(['loader-closed', 'loader-closed']);
    await Promise.all(server.connections.map(({ closed }) => closed));
    expect(await failure(fetch(server.origin))).toBe('loader-closed');
    await fetch.close();
  });

  it('close gives up a body that nobody reads', async () => {
    const { server, fetch } = await served((_, connection) => {
      connection.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab');
    });
    const response = await fetch(server.origin);
    await fetch.close();
    expect(await failure(response.text())).toBe('loader-closed');
  });

  it('close waits for what was asked for just before', async () => {
    const { server, fetch } = await served(response('text'));
    const texts = [{}, { method: 'POST', body: 'x' }].map(async (init) =>
      (await fetch(server.origin, init)).text(),
    );
    await fetch.close();
    expect(await Promise.all(texts)).toEqual(['text', 'text']);
  });

  it('close waits for bodies that are being read, also of later answers, and takes nothing new', async () => {
    const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab';
    const writes: Array<(bytes: string) => void> = [];
    const { server, fetch } = await served(({ path }, connection) => {
      if (path === '/') connection.write(begun);
      writes.push((bytes) => void connection.write(bytes));
    });
    const text = (await fetch(server.origin)).text();
    const later = fetch(`${server.origin}/later`).then((answer) => answer.text());
    await eventually(() => writes.length === 2);
    let isClosed = false;
    const closing = fetch.close().then(() => {
      isClosed = true;
    });
    expect(await failure(fetch(server.origin))).toBe('loader-closed');
    expect(isClosed).toBe(false);
    writes[1]?.(begun);
    writes[0]?.('cd');
    expect(await text).toBe('abcd');
    writes[1]?.('cd');
    expect(await later).toBe('abcd');
    await closing;
    await Promise.all(server.connections.map(({ closed }) => closed));
  });
});

describe('deadlines', () => {
  it('timeouts.responseMs holds for the header section', async () => {
    const { server, fetch } = await served(() => {}, { timeouts: { responseMs: 50 } });
    expect(await failure(fetch(server.origin))).toBe('response-timeout');
  });
});
