// A server may end a connection after any response (RFC 9112 9.6), and says so or does not.

import { describe, expect, it } from 'vitest';
import { loadPage } from '../../../loader/index.ts';
import type { Protocol } from '../../../loader/page-load.ts';
import { toHar } from '../../../loader/report/har.ts';
import { toJson } from '../../../loader/report/json.ts';
import { phasesOfLoad } from '../../../loader/report/phases.ts';
import { renderSummary } from '../../../loader/report/summary.ts';
import { renderWaterfallSvg } from '../../../loader/report/waterfall-svg.ts';
import { renderWaterfall } from '../../../loader/report/waterfall-text.ts';
import { withConstants } from '../../../options/options.ts';
import { expectOwnBytes, expectOwnBytesOrError, imagePage } from '../../support/image-page.ts';
import { loadFrom, quick } from '../../support/quick-load.ts';
import { randomFrom } from '../../support/random.ts';
import { answering, type RawServer } from '../../support/raw-server.ts';

const page = imagePage(42);
const asked = 43;

type Ending = 'Connection: close' | 'FIN' | 'RST' | 'silence';

/** Answers `limit(connection)` requests of each connection, then ends it in its own way. */
function limitedServer(limit: (connection: number) => number, ending: Ending): Promise<RawServer> {
  return answering(({ path, index }, connection) => {
    const last = limit(connection.id) - 1;
    if (index > last) return;
    const headers = index === last && ending === 'Connection: close' ? { Connection: 'close' } : {};
    connection.write(page.answer(path, headers));
    if (index < last || ending === 'silence') return;
    if (ending === 'RST') connection.reset();
    else connection.end();
  });
}

const pipelining: Protocol[] = ['pipelined', 'auto'];
const politely: Ending[] = ['Connection: close', 'FIN', 'silence'];

it('a lost attempt is in the record and in every report, and is not drawn as queued', async () => {
  await using server = await limitedServer(() => 20, 'FIN');
  const load = await loadPage(server.origin, { ...quick, protocol: 'pipelined' });
  expectOwnBytes(load, page);
  const again = load.resources.filter(({ attempts }) => attempts > 1);
  expect(load.totals).toMatchObject({ requests: asked + again.length, responses: asked });
  expect(again.length).toBeGreaterThan(0);
  const phases = phasesOfLoad(load);
  for (const row of again) {
    expect(row.lostAttempts).toHaveLength(row.attempts - 1);
    const [lost] = row.lostAttempts;
    expect(lost?.connection).not.toBe(row.connection);
    expect(lost?.endMs).toBeGreaterThan(lost?.requestStartMs ?? 0);
    expect(row.requestStartMs).toBeGreaterThanOrEqual(lost?.endMs ?? 0);
    expect(phases[load.resources.indexOf(row)]).toContainEqual({
      phase: 'lost',
      startMs: lost?.requestStartMs,
      endMs: lost?.endMs,
    });
  }
  const options = { columns: 100, color: false };
  const summary = `^requests +${asked + again.length} +sent; 43 [^]*^sent again +${again.length} `;
  expect(renderSummary(load, options)).toMatch(new RegExp(summary, 'm'));
  expect(renderWaterfall(load, options)).toMatch(/~[\s\S]*~ lost, sent again/);
  expect(renderWaterfallSvg(load)).toMatch(/class="lost"[\s\S]*lost, sent again/);
  const { entries } = toHar(load, { creatorVersion: '0' }).log;
  expect(entries.flatMap((entry) => entry._lostAttempts)).toHaveLength(again.length);
  expect(toJson(load).resources.flatMap((row) => row.lostAttempts)).toHaveLength(again.length);
});

for (const protocol of pipelining) {
  describe(`${protocol}: a server that serves k requests per connection`, () => {
    for (const limit of [1, 5, 20]) {
      it.each(politely)(`k = ${limit}, then %s: all arrive (RFC 9112 9.3.2)`, async (ending) => {
        await using server = await limitedServer(() => limit, ending);
        const load = await loadPage(server.origin, { ...quick, protocol });
        expectOwnBytes(load, page);
        expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
        expect(load.totals.requests).toBe(server.requests.length);
      });

      it(`k = ${limit}, then RST: own bytes or a clear error (RFC 9112 9.5)`, async () => {
        await using server = await limitedServer(() => limit, 'RST');
        const load = await loadPage(server.origin, { ...quick, protocol });
        const codes = expectOwnBytesOrError(load, page);
        expect([...new Set(codes)].filter((code) => code !== 'connection-lost')).toEqual([]);
        expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
        expect(load.resources[0]?.error).toBeNull();
      });

      it(`k = ${limit}: once learned, no connection carries more than k requests (Nielsen 1997, "Connection Management")`, async () => {
        for (const ending of ['FIN', 'silence'] as const) {
          await using server = await limitedServer(() => limit, ending);
          await loadPage(server.origin, { ...quick, protocol });
          // The first connection shows the limit; one other may at worst confirm it.
          const [, ...later] = server.perConnection;
          const over = later.filter((requests) => requests > limit);
          expect(over.length, `${ending}: ${server.perConnection}`).toBeLessThanOrEqual(1);
        }
      });
    }
  });
}

describe('the head of a broken pipeline', () => {
  it.each(['FIN', 'RST', 'silence'] as const)(
    'is retried alone on a fresh connection after %s, not pipelined (RFC 9112 9.3.2)',
    async (ending) => {
      // The page by itself, then 5 responses, so that all images are in flight when it breaks.
      const limit = 6;
      const { load, server } = await loadFrom(
        { protocol: 'pipelined' },
        ({ path, index }, connection) => {
          if (connection.id > 1) connection.write(page.answer(path));
          else if (index < limit) connection.write(page.answer(path));
          // Only when all are here: the images are in flight, none can be asked elsewhere.
          if (connection.id > 1 || index !== asked - 1) return;
          if (ending === 'FIN') connection.end();
          if (ending === 'RST') connection.reset();
        },
      );
      expectOwnBytes(load, page);
      const [first] = server.connections;
      expect(first?.requests.length).toBe(asked);
      const head = first?.requests[limit];
      const again = server.requests.filter(
        ({ path, connection }) => path === head?.path && connection !== 1,
      );
      expect(again.length).toBe(1);
      const fresh = server.connections.find(({ id }) => id === again[0]?.connection);
      expect(fresh?.requests.map(({ path }) => path)).toEqual([head?.path]);
      expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
    },
  );

  it('a response cut in its body is fetched again whole, not glued to its first part', async () => {
    const { load } = await loadFrom({ protocol: 'pipelined' }, ({ path, index }, connection) => {
      if (connection.id > 1 || index < 10) {
        connection.write(page.answer(path));
      } else if (index === asked - 1) {
        const cut = connection.requests[10]?.path ?? '';
        connection.end(page.answer(cut).subarray(0, -13));
      }
    });
    expectOwnBytes(load, page);
  });
});

describe('several pipelines at once', () => {
  it.each([2, 6])(
    '%i connections, each broken once: every body arrives, none waits for a free connection',
    async (connections) => {
      const { load, server } = await loadFrom(
        { protocol: 'pipelined', connections },
        ({ path, index }, connection) => {
          // Each of the first connections drops its pipeline at the third image; later ones are sound.
          if (connection.id <= connections && index >= 3) {
            if (index === 3) connection.end();
          } else {
            connection.write(page.answer(path));
          }
        },
      );
      expectOwnBytes(load, page);
      expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
    },
  );
});

describe('a server whose limit differs each time', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'random k, seed %i: own bytes or a clear error, twice the requests beside one for each break at most',
    async (seed) => {
      for (const ending of ['Connection: close', 'FIN', 'RST', 'silence'] as const) {
        const random = randomFrom(seed);
        const limits = Array.from({ length: 200 }, () => 1 + Math.floor(random() * 20));
        await using server = await limitedServer((id) => limits[id] ?? 1, ending);
        const options = {
          ...quick,
          ...withConstants({ pipeline: { stallMs: 40, settleMs: 30 } }),
        };
        const load = await loadPage(server.origin, { ...options, protocol: 'pipelined' });
        const codes = expectOwnBytesOrError(load, page);
        const clear = new Set(['connection-lost', 'response-timeout', 'out-of-step']);
        const about = `seed ${seed}, ${ending}, ${server.perConnection}`;
        expect(
          codes.filter((code) => !clear.has(code)),
          about,
        ).toEqual([]);
        // The first pipeline may be lost whole; from then on a connection that breaks costs one request.
        const broken = server.connections.filter(
          ({ id, requests }) => requests.length > (limits[id] ?? 1),
        );
        expect(server.requests.length, about).toBeLessThanOrEqual(2 * asked + broken.length);
        if (ending === 'Connection: close') expect(codes, about).toEqual([]);
      }
    },
  );
});

describe('one request at a time', () => {
  it.each(['persistent', 'http1.0'] as const)(
    '%s: a server that closes after every fifth response loses nothing (RFC 9112 9.3.1)',
    async (protocol) => {
      for (const ending of ['Connection: close', 'FIN'] as const) {
        await using server = await limitedServer(() => 5, ending);
        const load = await loadPage(server.origin, { ...quick, protocol });
        expectOwnBytes(load, page);
        expect(server.requests.length).toBeLessThanOrEqual(2 * asked);
      }
    },
  );
});
