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
const session = { httpVersion: 'h2' as const, served: 3 };

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
  it('its head goes again once, alone (RFC 9112 9.3.2), the others as they are', () => {
    const { recovery, waiting, again } = page(3);
    const lost = written(...['a', 'b', 'c'].map((path) => recordedExchange(path)));
    recovery.ended(pipeline, endOf(closed, { lost }));
    expect(again()).toEqual(['/a alone', '/b', '/c']);
    const [head] = written(waiting.lone.shift() as Exchange);
    recovery.ended(pipeline, endOf(closed, { lost: [head as Exchange] }));
    expect(told(head as Exchange)).toEqual(['connection-lost']);
    expect(again()).toEqual(['/b', '/c']);
  });

  it('those behind it go again as often as it takes: they are not to blame', () => {
    const { recovery, waiting, again } = page(3);
    const innocent = recordedExchange('z');
    for (const path of ['a', 'b', 'c']) {
      const lost = written(recordedExchange(path), innocent);
      recovery.ended(pipeline, endOf(closed, { lost }));
      expect(again()).toEqual([`/${path} alone`, '/z']);
      waiting.lone.length = waiting.shared.length = 0;
    }
    expect([told(innocent), innocent.attempts, innocent.breaks]).toEqual([[], 3, 0]);
  });

  it('a single request on a connection fails: nothing was in its way', () => {
    const { recovery, again } = page(1);
    const [only] = written(recordedExchange('a'));
    recovery.ended(pipeline, endOf(closed, { lost: [only as Exchange] }));
    expect([told(only as Exchange), again()]).toEqual([['connection-lost'], []]);
  });

  it('the one we ended it for fails, those it took along go again', () => {
    const { recovery, again } = page(2);
    const [slow, other] = written(recordedExchange('a'), recordedExchange('b'));
    const error = new LoaderError('resource-timeout', '');
    const lost = [slow as Exchange, other as Exchange];
    recovery.ended(pipeline, endOf(error, { byUs: true, culprit: slow ?? null, lost }));
    expect([told(slow as Exchange), again()]).toEqual([['resource-timeout'], ['/b']]);
  });

  it('what never left goes again at no cost', () => {
    const { recovery, budget, again } = page(1);
    recovery.ended(pipeline, endOf(closed, { lost: [recordedExchange('a')] }));
    expect([again(), budget.depth]).toEqual([['/a'], Number.POSITIVE_INFINITY]);
  });

  it('what is not idempotent is never sent twice (RFC 9110 9.2.2), nor what was given up', () => {
    const { recovery, again } = page(3);
    const post = recordedExchange('post', { method: 'POST' });
    const given = Object.assign(recordedExchange('given-up'), { cancelled: true });
    const lost = written(recordedExchange('a'), post, given);
    recovery.ended(pipeline, endOf(closed, { lost }));
    expect([told(post), told(given)]).toEqual([['connection-lost'], ['connection-lost']]);
    expect(again()).toEqual(['/a alone']);
  });

  it('after the page is over nothing goes again', () => {
    const { recovery, again } = page(2);
    recovery.close();
    const lost = written(recordedExchange('a'), recordedExchange('b'));
    recovery.ended(pipeline, endOf(closed, { lost }));
    expect([...lost.map(told), again()]).toEqual([['connection-lost'], ['connection-lost'], []]);
  });
});

describe('a session of HTTP/2 broke', () => {
  it('the stream to blame fails, each other is asked again, and not alone', () => {
    const { recovery, waiting, again } = page(2);
    const [bad, good] = written(recordedExchange('a'), recordedExchange('b'));
    const error = new LoaderError('headers-too-large', '');
    const lost = [bad as Exchange, good as Exchange];
    recovery.ended(session, endOf(error, { byUs: true, culprit: bad ?? null, lost }));
    expect([told(bad as Exchange), again()]).toEqual([['headers-too-large'], ['/b']]);
    const other = waiting.shared.shift() as Exchange;
    const lost2 = written(other, recordedExchange('c'));
    recovery.ended(session, endOf(closed, { lost: lost2 }));
    expect(again()).toEqual(['/b', '/c']);
    // It was the only one: now it is to blame.
    for (const left of [['/b alone', '/c'], ['/c']]) {
      waiting.remove(other);
      recovery.ended(session, endOf(closed, { lost: written(other) }));
      expect(again()).toEqual(left);
    }
    expect(told(other)).toEqual(['connection-lost']);
  });
});

describe('an answer in doubt', () => {
  it('is taken back and fetched alone; a second doubt is an error, never a guess', () => {
    const { recovery, waiting, again } = page(1);
    const exchange = suspect('a');
    recovery.ended(pipeline, endOf(closed, { suspects: [exchange], surplus: true }));
    expect([told(exchange), again()]).toEqual([['restart'], ['/a alone']]);
    waiting.lone.shift();
    recovery.ended(pipeline, endOf(closed, { suspects: [exchange], surplus: true }));
    expect([told(exchange), again()]).toEqual([['restart', 'restart', 'out-of-step'], []]);
  });

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

  it('what is removed waits no more, and is known not to wait twice', () => {
    const waiting = new WaitingRequests();
    const one = recordedExchange('a');
    waiting.add(one);
    expect([waiting.remove(one), waiting.remove(one), waiting.all.length]).toEqual([
      true,
      false,
      0,
    ]);
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
