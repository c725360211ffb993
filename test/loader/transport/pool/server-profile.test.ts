// What connections teach about their server (docs/architecture.md, "What keeps a body under its own URL", 3 and 4): the
// rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../../../loader/errors.ts';
import type { Exchange } from '../../../../loader/transport/exchange.ts';
import { ServerProfile } from '../../../../loader/transport/pool/server-profile.ts';
import { endOf, exchangeOf, written } from './sample-exchange.ts';

const closed = new LoaderError('connection-lost', 'closed');
const overdue = new LoaderError('response-timeout', '');
const connection = { httpVersion: 'http/1.1' as const, served: 5 };
const session = { ...connection, httpVersion: 'h2' as const };
const unlimited = Number.POSITIVE_INFINITY;

const headOf = (startedAt: number) => ({
  ...{ status: 200, statusText: '', headers: [], httpVersion: 'http/1.1' as const, startedAt },
});

const blank = (isPipelined = true) => new ServerProfile(isPipelined, 100);
const brokenPipeline = () => endOf(closed, { lost: written('a', 'b') });

/** A pipeline broke after so many responses, with so many in flight. */
function broke(profile: ServerProfile, served: number, depth = 12): void {
  profile.ended({ ...connection, served }, brokenPipeline(), [], depth);
}

/** A connection served so many responses and stays open. */
function serves(profile: ServerProfile, served: number): void {
  profile.answered({ ...connection, served }, exchangeOf('a'));
}

describe('a pipeline that broke', () => {
  it('after k responses: k is guessed, and half the depth until a second end at k proves it', () => {
    const profile = blank();
    broke(profile, 5);
    const guess = { perConnection: 5, isProven: false, mayTry: true, depth: 6, isCareful: true };
    expect(profile).toMatchObject(guess);
    serves(profile, 5);
    expect(profile).toMatchObject(guess);
    broke(profile, 5, 6);
    const proof = { perConnection: 5, isProven: true, mayTry: false, isCareful: false };
    expect(profile).toMatchObject({ ...proof, depth: unlimited });
  });

  it('one response more disproves the guess, and so does a request that ends connections by itself', () => {
    const [more, alone] = [blank(), blank()];
    for (const profile of [more, alone]) broke(profile, 5);
    serves(more, 6);
    alone.explained();
    for (const profile of [more, alone]) {
      // That it breaks is known, nevertheless.
      const none = { perConnection: unlimited, mayTry: false };
      expect(profile).toMatchObject({ ...none, depth: 6, isCareful: true });
    }
  });

  it('at other numbers: the depth is halved each time, down to one', () => {
    const profile = blank();
    const depths = [5, 3, 2, 1].map((served) => {
      broke(profile, served);
      return profile.depth;
    });
    expect(depths).toEqual([6, 3, 1, 1]);
  });

  it('is no limit if another connection served more, or a body was cut', () => {
    const cut = written('a', 'b');
    (cut[0] as Exchange).attempt.head = headOf(0);
    for (const [asked, others] of [
      [written('a', 'b'), [{ ...connection, served: 7 }]],
      [cut, []],
    ] as const) {
      const profile = blank();
      profile.ended(connection, endOf(closed, { lost: [...asked] }), others, 12);
      expect(profile).toMatchObject({ perConnection: unlimited, depth: 6 });
    }
  });
});

describe('another end', () => {
  it('with nothing asked at the number that was guessed: it is the limit', () => {
    const profile = blank();
    broke(profile, 5);
    profile.ended(connection, endOf(closed), [], 6);
    expect(profile).toMatchObject({ perConnection: 5, isProven: true });
  });

  it.each([
    ['idle, as one more request left', endOf(closed, { lost: written('a') })],
    ['with nothing asked', endOf(closed, { lost: [exchangeOf('a')] })],
    ['by us', endOf(new LoaderError('aborted', ''), { lost: written('a', 'b'), byUs: true })],
    ['overdue, with no pipeline to stall', endOf(overdue, { lost: written('a'), byUs: true })],
  ])('%s: nothing is learned', (_name, end) => {
    const profile = blank();
    profile.ended(connection, end, [], 12);
    expect(profile.isBlank).toBe(true);
  });

  it('without pipelining: nothing is learned', () => {
    const profile = blank(false);
    broke(profile, 5);
    expect(profile.isBlank).toBe(true);
  });

  it('of an HTTP/2 session: half as many streams, until it is one', () => {
    const profile = blank();
    const depths = [100, 50, 2, 2].map((inFlight) => {
      const paths = Array.from({ length: inFlight }, (_, index) => `${index}`);
      profile.ended(session, endOf(closed, { lost: written(...paths) }), [], 12);
      return profile.streamDepth;
    });
    expect(depths).toEqual([50, 25, 1, 1]);
  });
});

it('a response that was asked for alone says nothing of how many a connection carries', () => {
  const profile = blank();
  const alone = Object.assign(exchangeOf('a'), { alone: true });
  Object.assign(alone.attempt, { isLast: true });
  profile.answered({ ...connection, served: 1 }, alone);
  expect(profile.isCareful).toBe(false);
});
