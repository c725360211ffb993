// HTTP/1.1 matches responses to requests by their order alone (RFC 9112 9.3.2): one response too
// many or too few puts every later body under a wrong URL. None may be handed out so.

import { describe, expect, it } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import { createLoader, loadPage } from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { expectOwnBytesOrError, imagePage, rowsByPath } from '../../support/image-page.ts';
import {
  type RawConnection,
  type RawServer,
  type SeenRequest,
  startRawServer,
} from '../../support/raw-server.ts';
import { keptCache, startSite, usual, wrongBodies } from '../page-cache/site.ts';
import { quick } from './quick.ts';

const page = imagePage(42);
const asked = 43;
const clear = new Set<LoaderErrorCode>([
  'out-of-step',
  'connection-lost',
  'malformed-response',
  'response-timeout',
]);

/** Own bytes or one of the clear errors, at most twice the requests; @returns the codes. */
function expectInStep(
  load: Awaited<ReturnType<typeof loadPage>>,
  server: RawServer,
  most = 2 * asked,
): LoaderErrorCode[] {
  const codes = expectOwnBytesOrError(load, page);
  expect(codes.filter((code) => !clear.has(code))).toEqual([]);
  expect(server.requests.length).toBeLessThanOrEqual(most);
  return codes;
}

const places: Array<[string, string]> = [
  ['the page', '/'],
  ['the first image', '/image-0.gif'],
  ['an image in the middle', '/image-20.gif'],
  ['the last image', '/image-41.gif'],
];

// The first test of this file: the scanner is loaded while the first page comes.
it('two answers for the page while the scanner is being loaded: its body is not there twice', async () => {
  let answers = 2;
  await using server = await startRawServer({
    onRequest({ path }, connection) {
      const answer = page.answer(path);
      connection.write(Buffer.concat(Array(path === '/' ? answers : 1).fill(answer)));
      if (path === '/') answers = 1;
    },
  });
  const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
  expect(expectInStep(load, server)).toEqual([]);
});

describe.each<Protocol>(['pipelined', 'persistent', 'auto'])(
  '%s: two answers for one request',
  (protocol) => {
    it.each(places)(
      '%s, once, both in one write: no body under a wrong URL',
      async (_name, twice) => {
        let done = false;
        await using server = await startRawServer({
          onRequest({ path }, connection) {
            const answer = page.answer(path);
            connection.write(path === twice && !done ? Buffer.concat([answer, answer]) : answer);
            if (path === twice) done = true;
          },
        });
        const load = await loadPage(server.origin, { ...quick, protocol });
        // Once is a mishap a second, careful try puts right.
        expect(expectInStep(load, server)).toEqual([]);
      },
    );

    it.each(places)('%s, every time: no body under a wrong URL', async (_name, twice) => {
      await using server = await startRawServer({
        onRequest({ path }, connection) {
          const answer = page.answer(path);
          connection.write(path === twice ? Buffer.concat([answer, answer]) : answer);
        },
      });
      const load = await loadPage(server.origin, { ...quick, protocol });
      const codes = expectInStep(load, server);
      expect(codes.length).toBeLessThanOrEqual(twice === '/' ? asked : 1);
    });

    it.each(places)(
      '%s, the second 20 ms later: no body under a wrong URL',
      async (_name, twice) => {
        await using server = await startRawServer({
          onRequest({ path }, connection) {
            const answer = page.answer(path);
            connection.write(answer);
            if (path === twice) setTimeout(() => connection.write(answer), 20);
          },
        });
        expectInStep(await loadPage(server.origin, { ...quick, protocol }), server);
      },
    );

    it.each(places)(
      '%s, the second of another length: no body under a wrong URL',
      async (_name, twice) => {
        const other = imagePage(60).answer('/image-55.gif');
        await using server = await startRawServer({
          onRequest({ path }, connection) {
            const answer = page.answer(path);
            connection.write(path === twice ? Buffer.concat([answer, other]) : answer);
          },
        });
        expectInStep(await loadPage(server.origin, { ...quick, protocol }), server);
      },
    );

    it('every request, always: no body under a wrong URL', async () => {
      await using server = await startRawServer({
        onRequest({ path }, connection) {
          const answer = page.answer(path);
          connection.write(Buffer.concat([answer, answer]));
        },
      });
      expectInStep(await loadPage(server.origin, { ...quick, protocol }), server);
    });
  },
);

describe('a surplus response behind a pipeline that works', () => {
  it.each([
    ['a 304', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
    ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['garbage', 'and now for something completely different'],
    ['a line end', '\r\n'],
  ])('%s in the middle: no body under a wrong URL', async (_name, surplus) => {
    await using server = await startRawServer({
      onRequest({ path }, connection) {
        connection.write(page.answer(path));
        if (path === '/image-20.gif') connection.write(surplus);
      },
    });
    const codes = expectInStep(
      await loadPage(server.origin, { ...quick, protocol: 'pipelined' }),
      server,
    );
    // RFC 9112 2.2: an empty line before a message is to be passed over.
    if (surplus === '\r\n') expect(codes).toEqual([]);
  });

  it('does not reach the next page of a kept loader', async () => {
    let late: string | null = null;
    await using server = await startRawServer({
      onRequest({ path }, connection) {
        if (late !== null && connection.id === 1) connection.write(page.answer(late));
        connection.write(page.answer(path));
        late = path === '/image-41.gif' && connection.id === 1 ? path : null;
      },
    });
    await using loader = createLoader({ ...quick, protocol: 'pipelined' });
    expectOwnBytesOrError(await loader.load(server.origin), page);
    // The surplus answer to the last image comes just before that to the second page's root.
    const second = await loader.load(server.origin);
    expectOwnBytesOrError(second, page);
    expect(second.resources[0]?.error).toBeNull();
    expect(second.resources.length).toBe(asked);
  });
});

describe.each(['then stalls', 'then closes', 'then carries on'] as const)(
  'a server that skips one response, %s',
  (then) => {
    it.each(places.slice(1))('%s: no body under a wrong URL', async (_name, skipped) => {
      await using server = await startRawServer({
        onRequest({ path }, connection) {
          const skips = connection.requests.some((request) => request.path === skipped);
          if (path === skipped) {
            if (then === 'then closes') connection.end();
            return;
          }
          if (skips && then === 'then stalls') return;
          connection.write(page.answer(path));
        },
      });
      const load = await loadPage(server.origin, {
        ...quick,
        // Only a server that stalls is waited for.
        ...(then === 'then stalls' && { timeouts: { ...quick.timeouts, responseMs: 1000 } }),
        protocol: 'pipelined',
      });
      const codes = expectInStep(load, server);
      // It never answers this one; all the others it can.
      expect(rowsByPath(load, page).get(skipped)?.error).not.toBeNull();
      expect(codes.length).toBeLessThanOrEqual(then === 'then carries on' ? asked : 1);
    });

    it.each(places.slice(1))('%s, once: no body under a wrong URL', async (_name, skipped) => {
      await using server = await startRawServer({
        onRequest({ path }, connection) {
          const skips =
            connection.id === 1 && connection.requests.some((request) => request.path === skipped);
          if (connection.id === 1 && path === skipped) {
            if (then === 'then closes') connection.end();
            return;
          }
          if (skips && then === 'then stalls') return;
          connection.write(page.answer(path));
        },
      });
      const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
      expect(expectInStep(load, server)).toEqual([]);
    });
  },
);

describe('answers in another order', () => {
  /** Loads six images from a server that swaps each two responses that it owes. @returns paths stored wrongly. */
  async function storedFromSwapping(protocol: Protocol): Promise<string[]> {
    const owed = new Map<RawConnection, SeenRequest[]>();
    await using site = await startSite({
      headers: { 'Cache-Control': 'max-age=600' },
      answer(request, _site, connection) {
        const asked = owed.get(connection) ?? [];
        owed.set(connection, [...asked, request]);
        if (asked.length > 0) return null;
        setImmediate(() => {
          const [first, second, ...others] = owed.get(connection) ?? [];
          owed.delete(connection);
          for (const each of [second, first, ...others]) {
            if (each !== undefined) connection.write(usual(site, each));
          }
        });
        return null;
      },
    });
    await using kept = keptCache();
    const load = await loadPage(site.server.origin, { ...quick, protocol, cache: kept.cache });
    expect(load.totals.errors).toBe(0);
    return wrongBodies(site, kept.store);
  }

  it.each<Protocol>(['http1.0', 'persistent'])(
    '%s asks for one at a time, so no order matters: each body is stored under its own URL',
    async (protocol) => expect(await storedFromSwapping(protocol)).toEqual([]),
  );

  it.each<Protocol>(['pipelined', 'auto'])(
    '%s trusts the order that RFC 9112 9.3.2 demands: SECURITY.md says that a swap is not noticed',
    async (protocol) => expect(await storedFromSwapping(protocol)).not.toEqual([]),
  );

  it('a connection that ends between two swapped responses puts both in doubt', async () => {
    await using server = await startRawServer({
      onRequest({ path }, connection) {
        if (connection.id === 1 && path === '/image-9.gif') {
          connection.write(page.answer('/image-10.gif'));
          connection.end();
        } else {
          connection.write(page.answer(path));
        }
      },
    });
    expectInStep(await loadPage(server.origin, { ...quick, protocol: 'pipelined' }), server);
  });

  it('a response on a kept connection that nobody asked for does not become the next page (RFC 9112 9.3)', async () => {
    await using server = await startRawServer({
      onRequest({ path }, connection) {
        connection.write(page.answer(path));
      },
    });
    await using loader = createLoader({ ...quick, protocol: 'pipelined' });
    expect(expectOwnBytesOrError(await loader.load(server.origin), page)).toEqual([]);
    const [first] = server.connections;
    first?.write(page.answer('/image-3.gif'));
    await first?.closed; // the client hangs up on a server that speaks unasked
    expect(expectOwnBytesOrError(await loader.load(server.origin), page)).toEqual([]);
    expect(server.connections.length).toBeGreaterThan(1);
  });
});
