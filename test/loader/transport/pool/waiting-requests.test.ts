// What waits for a connection, in which order it goes, and what it may cost (docs/architecture.md, "What keeps
// a body under its own URL", 3): the rules alone, without sockets.

import { describe, expect, it } from 'vitest';
import { LoaderError } from '../../../../loader/errors.ts';
import { Exchange } from '../../../../loader/transport/exchange.ts';
import { RequestBudget } from '../../../../loader/transport/pool/request-budget.ts';
import { WaitingRequests } from '../../../../loader/transport/pool/waiting-requests.ts';

function exchange(path: string, priority: number, again = false): Exchange {
  const handler = { onHeaders() {}, onData() {}, onEnd() {}, onRestart() {}, onError() {} };
  const url = new URL(path, 'http://a.test/');
  const made = new Exchange(url, [], { urgent: false, priority }, handler);
  if (again) made.failure = new LoaderError('connection-lost', '');
  return made;
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
    expect([waiting.lone, waiting.shared]).toEqual([1, 4]);
    expect(waiting.takeLone()?.path).toBe('/alone');
    expect(waiting.takeShared()?.path).toBe('/a');
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
  it('twice the requests asked for, and those that go for the first time come first', () => {
    const budget = new RequestBudget();
    const waiting = new WaitingRequests();
    for (let asked = 0; asked < 3; asked++) budget.ask();
    for (let sent = 0; sent < 4; sent++) budget.send();
    waiting.add(exchange('again1', 0, true));
    waiting.add(exchange('first', 1));
    expect(paths(budget.beyond(waiting))).toEqual([]);
    waiting.add(exchange('again2', 2, true));
    expect(paths(budget.beyond(waiting))).toEqual(['/again2']);
    budget.send();
    expect(paths(budget.beyond(waiting))).toEqual(['/again1', '/again2']);
  });

  it('what never left costs nothing', () => {
    const budget = new RequestBudget();
    budget.ask();
    budget.send();
    budget.send();
    expect(budget.covers(1)).toBe(false);
    budget.unsend(1);
    expect([budget.covers(1), budget.covers(2)]).toEqual([true, false]);
  });
});
