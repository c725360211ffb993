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

function lessonsAndLearning(policy: 'pipelined' | 'serial' = 'pipelined') {
  const profile = new ServerProfile();
  return { profile, learning: new ServerObserver(profile, policy, 100) };
}

const lost = (...paths: string[]) => written(...paths.map((path) => recordedExchange(path)));

describe('a connection ended', () => {
  it('inside a pipeline: the server serves what it served there, or more where another did', () => {
    const { profile, learning } = lessonsAndLearning();
    expect(learning.ended(connection, endOf(closed, { lost: lost('a', 'b') }), [])).toBe(true);
    expect(profile.perConnection).toBe(5);
    const other = lessonsAndLearning();
    const more = { ...connection, served: 7 };
    other.learning.ended(connection, endOf(closed, { lost: lost('a', 'b') }), [more]);
    expect(other.profile.perConnection).toBe(7);
  });

  it.each([
    ['idle, as one more request left', endOf(closed, { lost: lost('a') })],
    ['with nothing asked', endOf(closed, { lost: [recordedExchange('a')] })],
    ['by us', endOf(new LoaderError('aborted', ''), { lost: lost('a', 'b'), byUs: true })],
    ['overdue, with no pipeline to stall', endOf(overdue, { lost: lost('a'), byUs: true })],
  ])('%s: nothing is learned', (_name, end) => {
    const { profile, learning } = lessonsAndLearning();
    expect(learning.ended(connection, end, [])).toBe(false);
    expect(profile.isBlank).toBe(true);
  });

  it.each([
    ['without pipelining', 'serial', connection],
    ['of HTTP/2', 'pipelined', { ...connection, httpVersion: 'h2' }],
  ] as const)('%s: nothing is learned', (_name, policy, seen) => {
    const { profile, learning } = lessonsAndLearning(policy);
    expect(learning.ended(seen, endOf(closed, { lost: lost('a', 'b') }), [])).toBe(false);
    expect(profile.isBlank).toBe(true);
  });

  it.each([
    ['slow by itself: it had not', 50, true],
    ['quick by itself: it had', 49, false],
  ])('because it seemed to stall, its head being %s', (_name, tookMs, isForgotten) => {
    const { profile, learning } = lessonsAndLearning();
    const stalled = lost('a', 'b');
    const end = endOf(overdue, { lost: stalled, byUs: true, stalled: true });
    expect(learning.ended(connection, end, [])).toBe(true);
    const head = stalled[0] as Exchange;
    const answer = { status: 200, statusText: '', headers: [], httpVersion: 'http/1.1' as const };
    head.alone = true;
    head.attempt.head = { ...answer, startedAt: tookMs };
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
    const unframed = recordedExchange('a');
    unframed.attempt.framed = false;
    learning.answered(only, unframed);
    expect(profile.probing).toBe(false);
    learning.answered(only, recordedExchange('b'));
    expect(profile.probing).toBe(true);
    learning.answered({ ...connection, served: 2 }, recordedExchange('c'));
    expect(profile.probing).toBe(false);
  });

  it('that was asked for alone says nothing of how many a connection carries', () => {
    const { profile, learning } = lessonsAndLearning();
    const alone = Object.assign(recordedExchange('a'), { alone: true });
    learning.answered({ ...connection, served: 1, announced: true }, alone);
    expect(profile.probing).toBe(false);
  });
});
