// What connections show of their server, told as lessons (docs/architecture.md, "What keeps a body under its own
// URL", 3 and 4): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../../../loader/errors.ts';
import type { Exchange } from '../../../../loader/transport/exchange.ts';
import { ServerObserver } from '../../../../loader/transport/pool/server-observer.ts';
import { ServerProfile } from '../../../../loader/transport/pool/server-profile.ts';
import { endOf, recordedExchange, written } from './recorded-exchange.ts';

const closed = new LoaderError('connection-lost', 'closed');
const overdue = new LoaderError('response-timeout', '');
const connection = {
  httpVersion: 'http/1.1' as const,
  sent: 9,
  served: 5,
  load: 0,
  announced: false,
};

const headOf = (startedAt: number) => ({
  ...{ status: 200, statusText: '', headers: [], httpVersion: 'http/1.1' as const, startedAt },
});

function lessonsAndLearning(policy: 'pipelined' | 'serial' = 'pipelined') {
  const profile = new ServerProfile();
  return { profile, learning: new ServerObserver(profile, policy, 100) };
}

const lost = (...paths: string[]) => written(...paths.map((path) => recordedExchange(path)));

describe('a connection ended', () => {
  it('inside a pipeline: what it served may be the limit, unless another served more or a body was cut', () => {
    const cut = lost('a', 'b');
    (cut[0] as Exchange).attempt.head = headOf(0);
    for (const [asked, others, limit] of [
      [lost('a', 'b'), [], 5],
      [lost('a', 'b'), [{ ...connection, served: 7 }], Number.POSITIVE_INFINITY],
      [cut, [], Number.POSITIVE_INFINITY],
    ] as const) {
      const { profile, learning } = lessonsAndLearning();
      learning.ended(connection, endOf(closed, { lost: [...asked] }), others, 12);
      expect(profile).toMatchObject({ perConnection: limit, depth: 6 });
    }
  });

  it('with nothing asked at the number that was guessed: it is the limit', () => {
    const { profile, learning } = lessonsAndLearning();
    learning.ended(connection, endOf(closed, { lost: lost('a', 'b') }), [], 12);
    learning.ended(connection, endOf(closed), [], 6);
    expect(profile).toMatchObject({ perConnection: 5, isProven: true });
  });

  it.each([
    ['idle, as one more request left', endOf(closed, { lost: lost('a') })],
    ['with nothing asked', endOf(closed, { lost: [recordedExchange('a')] })],
    ['by us', endOf(new LoaderError('aborted', ''), { lost: lost('a', 'b'), byUs: true })],
    ['overdue, with no pipeline to stall', endOf(overdue, { lost: lost('a'), byUs: true })],
  ])('%s: nothing is learned', (_name, end) => {
    const { profile, learning } = lessonsAndLearning();
    learning.ended(connection, end, [], 12);
    expect(profile.isBlank).toBe(true);
  });

  it.each([['without pipelining', 'serial', connection]] as const)(
    '%s: nothing is learned',
    (_name, policy, seen) => {
      const { profile, learning } = lessonsAndLearning(policy);
      learning.ended(seen, endOf(closed, { lost: lost('a', 'b') }), [], 12);
      expect(profile.isBlank).toBe(true);
    },
  );

  it.each([
    ['slow by itself: it had not', 50, true],
    ['quick by itself: it had', 49, false],
  ])('because it seemed to stall, its head being %s', (_name, tookMs, isForgotten) => {
    const { profile, learning } = lessonsAndLearning();
    const stalled = lost('a', 'b');
    const end = endOf(overdue, { lost: stalled, byUs: true, stalled: true });
    learning.ended(connection, end, [], 12);
    expect(profile.depth).toBe(1);
    const head = stalled[0] as Exchange;
    head.alone = true;
    head.attempt.head = headOf(tookMs);
    learning.answered({ ...connection, served: 1, announced: true }, head);
    expect(profile.isBlank).toBe(isForgotten);
  });
});

describe('a response', () => {
  it('of HTTP/1.0 ends pipelining (RFC 9112 9.3.2)', () => {
    const { profile, learning } = lessonsAndLearning();
    learning.began({ ...connection, httpVersion: 'http/1.0' });
    expect(profile.pipelines).toBe(false);
  });

  it("that was a connection's only one, as announced, makes careful; one that was cut short does not", () => {
    const only = { ...connection, served: 1, announced: true };
    const { profile, learning } = lessonsAndLearning();
    const last = (path: string, framed: boolean) => {
      const exchange = recordedExchange(path);
      Object.assign(exchange.attempt, { isLast: true, framed });
      return exchange;
    };
    learning.answered(only, last('a', false));
    expect(profile.isCareful).toBe(false);
    learning.answered(only, last('b', true));
    expect(profile.isCareful).toBe(true);
    learning.answered({ ...connection, served: 2 }, recordedExchange('c'));
    expect(profile.isCareful).toBe(false);
  });

  it('that was asked for alone says nothing of how many a connection carries', () => {
    const { profile, learning } = lessonsAndLearning();
    const alone = Object.assign(recordedExchange('a'), { alone: true });
    learning.answered({ ...connection, served: 1, announced: true }, alone);
    expect(profile.isCareful).toBe(false);
  });
});
