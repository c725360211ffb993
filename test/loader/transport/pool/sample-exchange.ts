// An exchange that nobody listens to, and the state the transport gives it on its way.

import type { LoaderError } from '../../../../loader/errors.ts';
import type { ConnectionEnd } from '../../../../loader/transport/connection/connection.ts';
import { type Batch, Exchange } from '../../../../loader/transport/exchange.ts';

const nobody = { onHeaders() {}, onData() {}, onEnd() {}, onRestart() {}, onError() {} };

export function exchangeOf(path: string): Exchange {
  const url = new URL(path, 'http://a.test/');
  return new Exchange(url, [], { urgent: false, priority: 0 }, nobody);
}

/** These left in one write, as the first requests of a connection. */
export function written(...paths: string[]): Exchange[] {
  const exchanges = paths.map(exchangeOf);
  const batch = { exchanges, bytes: 0, sentAt: 0 } as unknown as Batch;
  for (const [pipelineIndex, exchange] of exchanges.entries()) {
    exchange.attempts++;
    Object.assign(exchange.attempt, { batch, pipelineIndex });
  }
  return exchanges;
}

/** The server ended a connection with `error`, unless `how` says otherwise. */
export function endOf(error: LoaderError, how: Partial<ConnectionEnd> = {}): ConnectionEnd {
  const nothing = { culprit: null, lost: [], suspects: [] };
  const usual = { byUs: false, stalled: false, surplus: false };
  const ending = { opened: true, announced: false };
  return { error, ...nothing, ...usual, ...ending, ...how };
}
