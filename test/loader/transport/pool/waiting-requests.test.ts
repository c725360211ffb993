// What waits for a connection, in which order it goes, and what it may cost (docs/architecture.md, "What keeps
// a body under its own URL", 3): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { Exchange } from '../../../../loader/transport/exchange.ts';
import {
  RequestBudget,
  WaitingRequests,
} from '../../../../loader/transport/pool/waiting-requests.ts';

function exchange(path: string, priority: number): Exchange {
  const handler = { onHeaders() {}, onData() {}, onEnd() {}, onRestart() {}, onError() {} };
  const url = new URL(path, 'http://a.test/');
  return new Exchange(url, [], { urgent: false, priority }, handler);
}

const paths = (exchanges: Exchange[]) => exchanges.map(({ path }) => path);

describe('WaitingRequests', () => {
  it('lower priority goes first, equals in their order; who goes alone before all', () => {
    const waiting = new WaitingRequests();
    const alone = exchange('alone', 9);
    alone.alone = true;
    const list = [exchange('b1', 1), exchange('c', 2), exchange('a', 0), exchange('b2', 1), alone];
    for (const one of list) waiting.add(one);
    expect(paths(waiting.all)).toEqual(['/alone', '/a', '/b1', '/b2', '/c']);
  });

  it('what is removed waits no more, and is known not to wait twice', () => {
    const waiting = new WaitingRequests();
    const one = exchange('a', 0);
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
