// HTTP/1.1 matches responses to requests by their order alone (RFC 9112 9.3.2): one response too
// many or too few puts every later body under a wrong URL. None may be handed out so.

import { describe, expect, it } from 'vitest';
import type { LoaderErrorCode } from '../../../loader/errors.ts';
import {
  createHttpCache,
  createLoader,
  createMemoryStore,
  loadPage,
} from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import {
  expectOwnBytesOrError,
  expectOwnStored,
  imagePage,
  rowsByPath,
  serverOf,
} from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import {
  answering,
  type RawConnection,
  type RawServer,
  type SeenRequest,
} from '../../support/raw-server.ts';
import { startSite, usual, wrongBodies } from '../page-cache/site.ts';

const page = imagePage(42);
const asked = 43;
const clear = new Set<LoaderErrorCode>([
  'out-of-step',
  'connection-lost',
  'malformed-response',
  'response-timeout',
]);

const answerTo = (path: string) => page.answer(path, { 'Cache-Control': 'max-age=600' });

/** Like `loadFrom`, with a cache, which stores nothing under a wrong URL. */
async function loaded(...[options, onRequest]: Parameters<typeof loadFrom>) {
  const store = createMemoryStore();
  const given = await loadFrom({ ...options, cache: createHttpCache(store) }, onRequest);
  expectOwnStored(store, given.server.origin, page);
  return given;
}

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
  const { load, server } = await loaded({ protocol: 'pipelined' }, ({ path }, connection) => {
    const answer = answerTo(path);
    connection.write(Buffer.concat(Array(path === '/' ? answers : 1).fill(answer)));
    if (path === '/') answers = 1;
  });
  expect(expectInStep(load, server)).toEqual([]);
});

/** How a server answers a request twice. @param time How often it did so before. */
type Twice = (connection: RawConnection, answer: Buffer, time: number) => void;
const other = imagePage(60).answer('/image-55.gif');
const ways: Array<[string, Twice]> = [
  ['once', (to, answer, time) => to.write(Buffer.concat(Array(time === 0 ? 2 : 1).fill(answer)))],
  ['every time', (to, answer) => to.write(Buffer.concat([answer, answer]))],
  [
    'the second 20 ms later',
    (to, answer) => {
      to.write(answer);
      setTimeout(() => to.write(answer), 20);
    },
  ],
  ['the second of another length', (to, answer) => to.write(Buffer.concat([answer, other]))],
];

describe.each<Protocol>(['pipelined', 'persistent', 'auto'])('%s: two answers', (protocol) => {
  describe.each(ways)('%s', (way, write) => {
    it.each(places)('for %s: no body under a wrong URL', async (_name, twice) => {
      let time = 0;
      const { load, server } = await loaded({ protocol }, ({ path }, connection) => {
        if (path === twice) write(connection, answerTo(path), time++);
        else connection.write(answerTo(path));
      });
      const codes = expectInStep(load, server);
      // Once is a mishap that a second, careful try puts right.
      if (way === 'once') expect(codes).toEqual([]);
      if (way === 'every time') expect(codes.length).toBeLessThanOrEqual(twice === '/' ? asked : 1);
    });
  });

  it('for every request, always: no body under a wrong URL', async () => {
    const { load, server } = await loaded({ protocol }, ({ path }, connection) => {
      connection.write(Buffer.concat([answerTo(path), answerTo(path)]));
    });
    expectInStep(load, server);
  });
});

describe('a surplus response behind a pipeline that works', () => {
  it.each([
    ['a 304', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
    ['a 204', 'HTTP/1.1 204 No Content\r\n\r\n'],
    ['garbage', 'and now for something completely different'],
    ['a line end', '\r\n'],
  ])('%s in the middle: no body under a wrong URL', async (_name, surplus) => {
    const { load, server } = await loaded({ protocol: 'pipelined' }, ({ path }, connection) => {
      connection.write(answerTo(path));
      if (path === '/image-20.gif') connection.write(surplus);
    });
    const codes = expectInStep(load, server);
    // RFC 9112 2.2: an empty line before a message is to be passed over.
    if (surplus === '\r\n') expect(codes).toEqual([]);
  });

  it('does not reach the next page of a kept loader', async () => {
    let late: string | null = null;
    await using server = await answering(({ path }, connection) => {
      if (late !== null && connection.id === 1) connection.write(answerTo(late));
      connection.write(answerTo(path));
      late = path === '/image-41.gif' && connection.id === 1 ? path : null;
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

describe.each(['stalls', 'closes', 'carries on'])(
  'a server that skips one response, then %s',
  (then) => {
    it.each(
      ['always', 'once'].flatMap((when) =>
        places.slice(1).map(([name, path]) => [name, when, path] as const),
      ),
    )('%s, %s: no body under a wrong URL', async (_name, when, skipped) => {
      // Only a server that stalls is waited for.
      const responseMs = then === 'stalls' && when === 'always' ? 1_000 : 2_000;
      const options = {
        protocol: 'pipelined',
        timeouts: { ...quick.timeouts, responseMs },
      } as const;
      const { load, server } = await loaded(options, ({ path }, connection) => {
        const isOff = when === 'always' || connection.id === 1;
        const skips = isOff && connection.requests.some((request) => request.path === skipped);
        if (isOff && path === skipped) {
          if (then === 'closes') connection.end();
        } else if (!skips || then !== 'stalls') {
          connection.write(answerTo(path));
        }
      });
      const codes = expectInStep(load, server);
      if (when === 'once') return expect(codes).toEqual([]);
      // It never answers this one; all the others it can.
      expect(rowsByPath(load, page).get(skipped)?.error).not.toBeNull();
      expect(codes.length).toBeLessThanOrEqual(then === 'carries on' ? asked : 1);
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
    expect((await site.load({ ...quick, protocol })).totals.errors).toBe(0);
    return wrongBodies(site);
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
    await using server = await answering(({ path }, connection) => {
      if (connection.id === 1 && path === '/image-9.gif') {
        connection.write(answerTo('/image-10.gif'));
        connection.end();
      } else {
        connection.write(answerTo(path));
      }
    });
    expectInStep(await loadPage(server.origin, { ...quick, protocol: 'pipelined' }), server);
  });

  it('a response on a kept connection that nobody asked for does not become the next page (RFC 9112 9.3)', async () => {
    await using server = await serverOf(page);
    await using loader = createLoader({ ...quick, protocol: 'pipelined' });
    expect(expectOwnBytesOrError(await loader.load(server.origin), page)).toEqual([]);
    const [first] = server.connections;
    first?.write(answerTo('/image-3.gif'));
    await first?.closed; // the client hangs up on a server that speaks unasked
    expect(expectOwnBytesOrError(await loader.load(server.origin), page)).toEqual([]);
    expect(server.connections.length).toBeGreaterThan(1);
  });
});
