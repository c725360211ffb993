// Whom a witness clears of answers in doubt, and how many requests a page may lose (docs/architecture.md, "What keeps a
// body under its own URL", 2 to 4): the rules alone, without sockets. recovery/ has them over real connections.

import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../../../loader/errors.ts';
import type { Exchange } from '../../../../loader/transport/exchange.ts';
import {
  Recovery,
  RequestBudget,
  WaitingRequests,
} from '../../../../loader/transport/pool/recovery.ts';
import { endOf, written } from './sample-exchange.ts';

const closed = new LoaderError('connection-lost', 'closed');
const pipeline = { httpVersion: 'http/1.1' as const, served: 3 };

/** Its body came whole. */
function answer(exchange: Exchange, checksum: number): Exchange {
  exchange.done = true;
  const head = { status: 200, statusText: '', headers: [], httpVersion: 'http/1.1', startedAt: 0 };
  Object.assign(exchange.attempt, { head, checksum });
  return exchange;
}

/** Five came whole, and perhaps each with another's body, when their server ended. @param checksum of these bodies. */
function doubted(checksum: (place: number) => number) {
  const waiting = new WaitingRequests();
  const budget = new RequestBudget();
  for (let asked = 0; asked < 9; asked++) budget.countRequest();
  const recovery = new Recovery(waiting, budget);
  const all = ['a', 'b', 'c', 'd', 'e'].flatMap((path) => written(path));
  for (const [place, exchange] of all.entries()) answer(exchange, checksum(place));
  recovery.ended(pipeline, endOf(closed, { suspects: all, announced: true }));
  const again = () => waiting.all.map(({ path, alone }) => (alone ? `${path} alone` : path));
  return { waiting, recovery, all, again };
}

describe('an answer in doubt', () => {
  it('behind an announced end: the last but one speaks for those before it', () => {
    const { recovery, waiting, all, again } = doubted((place) => place);
    expect([recovery.hasDoubts, again()]).toEqual([true, ['/d alone', '/e alone']]);
    const witness = waiting.lone.shift() as Exchange;
    answer(witness, 3);
    recovery.review();
    expect(all.map(({ attempt }) => attempt.inStep)).toEqual([true, true, true, false, false]);
    expect([recovery.hasDoubts, again()]).toEqual([false, ['/e alone']]);
  });

  it.each([
    ['is another than before', 9],
    ['was equal to another from the start', 0],
  ])('whose witness %s: all are fetched again', (_name, checksum) => {
    const { recovery, waiting, all, again } = doubted((place) => checksum && place);
    for (const exchange of waiting.all.slice(0, 2)) {
      waiting.remove(exchange);
      answer(exchange, checksum);
    }
    recovery.review();
    expect(again().length).toBe(3);
    expect(all.some(({ attempt }) => attempt.inStep)).toBe(false);
  });
});

describe('RequestBudget', () => {
  it('from the first loss on, no more are in flight than a fifth of the requests leaves for losses and checks', () => {
    const budget = new RequestBudget();
    for (let asked = 0; asked < 100; asked++) budget.countRequest();
    const depths = [0, 11, 6, 1].map((lost) => {
      budget.waste(lost);
      return budget.depth;
    });
    expect(depths).toEqual([Number.POSITIVE_INFINITY, 7, 1, 1]);
  });
});
