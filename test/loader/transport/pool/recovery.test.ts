// What becomes of requests whose connection ended, of those that wait, and of answers in doubt (docs/architecture.md, "What keeps a
// body under its own URL", 2 to 4): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../../../loader/errors.ts';
import type { Exchange, ResponseHead } from '../../../../loader/transport/exchange.ts';
import { Recovery } from '../../../../loader/transport/pool/recovery.ts';
import {
  RequestBudget,
  WaitingRequests,
} from '../../../../loader/transport/pool/waiting-requests.ts';
import { endOf, recordedExchange, told, written } from './recorded-exchange.ts';

const closed = new LoaderError('connection-lost', 'closed');
const pipeline = { httpVersion: 'http/1.1' as const, served: 3 };

/** @param asked requests the page asked for and sent. */
function page(asked: number) {
  const waiting = new WaitingRequests();
  const budget = new RequestBudget();
  for (let count = 0; count < asked; count++) budget.ask();
  const recovery = new Recovery(waiting, budget);
  const again = () => waiting.all.map(({ path, alone }) => (alone ? `${path} alone` : path));
  return { waiting, budget, recovery, again };
}

const headOf = (startedAt: number): ResponseHead => ({
  ...{ status: 200, statusText: '', headers: [], httpVersion: 'http/1.1', startedAt },
});

/** Its body came whole. */
function answer(exchange: Exchange, checksum: number): Exchange {
  exchange.done = true;
  Object.assign(exchange.attempt, { head: headOf(checksum), checksum });
  return exchange;
}

/** Ended whole, and perhaps another's. @param checksum of its body. */
function suspect(path: string, checksum = 0): Exchange {
  const [exchange] = written(recordedExchange(path)) as [Exchange];
  return answer(exchange, checksum);
}

describe('a pipeline broke', () => {
  it('a single request on a connection fails: nothing was in its way', () => {
    const { recovery, again } = page(1);
    const [only] = written(recordedExchange('a'));
    recovery.ended(pipeline, endOf(closed, { lost: [only as Exchange] }));
    expect([told(only as Exchange), again()]).toEqual([['connection-lost'], []]);
  });

  it('what never left goes again at no cost', () => {
    const { recovery, budget, again } = page(1);
    recovery.ended(pipeline, endOf(closed, { lost: [recordedExchange('a')] }));
    expect([again(), budget.depth]).toEqual([['/a'], Number.POSITIVE_INFINITY]);
  });

  it('after the page is over nothing goes again', () => {
    const { recovery, again } = page(2);
    recovery.close();
    const lost = written(recordedExchange('a'), recordedExchange('b'));
    recovery.ended(pipeline, endOf(closed, { lost }));
    expect([...lost.map(told), again()]).toEqual([['connection-lost'], ['connection-lost'], []]);
  });
});

describe('an answer in doubt', () => {
  it('behind an announced end: the last but one speaks for those before it', () => {
    const { recovery, waiting, again } = page(9);
    const all = ['a', 'b', 'c', 'd', 'e'].map((path, place) => suspect(path, place));
    recovery.ended(pipeline, endOf(closed, { suspects: all, announced: true }));
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
    const { recovery, waiting, again } = page(9);
    const all = ['a', 'b', 'c', 'd', 'e'].map((path, place) => suspect(path, checksum && place));
    recovery.ended(pipeline, endOf(closed, { suspects: all, announced: true }));
    for (const exchange of waiting.all.slice(0, 2)) {
      waiting.remove(exchange);
      answer(exchange, checksum);
    }
    recovery.review();
    expect(again().length).toBe(3);
    expect(all.some(({ attempt }) => attempt.inStep)).toBe(false);
  });

  it('and is fetched again, as far as the budget goes', () => {
    const { recovery, again } = page(1);
    recovery.ended(pipeline, endOf(closed, { suspects: [suspect('a')], announced: true }));
    expect(again()).toEqual(['/a alone']);
    const poor = suspect('b');
    recovery.ended(pipeline, endOf(closed, { suspects: [poor], announced: true }));
    expect([told(poor), again()]).toEqual([[], ['/a alone']]);
  });
});

describe('WaitingRequests', () => {
  it('lower priority goes first, equals in their order; who goes alone before all', () => {
    const waiting = new WaitingRequests();
    const alone = Object.assign(recordedExchange('alone', { priority: 9 }), { alone: true });
    const of = (path: string, priority: number) => recordedExchange(path, { priority });
    const list = [of('b1', 1), of('c', 2), of('a', 0), of('b2', 1), alone];
    for (const one of list) waiting.add(one);
    expect(waiting.all.map(({ path }) => path)).toEqual(['/alone', '/a', '/b1', '/b2', '/c']);
  });
});

describe('RequestBudget', () => {
  it('from the first loss on, no more are in flight than a fifth of the requests leaves for losses and checks', () => {
    const budget = new RequestBudget();
    for (let asked = 0; asked < 100; asked++) budget.ask();
    expect(budget.depth).toBe(Number.POSITIVE_INFINITY);
    budget.waste(11);
    expect(budget.depth).toBe(7);
    budget.waste(6);
    expect(budget.depth).toBe(1);
    budget.waste(1);
    expect(budget.depth).toBe(1);
  });

  it('responses are fetched again for a check as often as the page has requests', () => {
    const budget = new RequestBudget();
    budget.ask();
    budget.ask();
    budget.waste(1);
    expect([budget.covers(1), budget.covers(2)]).toEqual([true, false]);
  });
});
