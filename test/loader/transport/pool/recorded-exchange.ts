// An exchange whose handler notes what it is told, and the state the transport gives it on its way.

import type { LoaderError } from '../../../../loader/errors.ts';
import type { ConnectionEnd } from '../../../../loader/transport/connection/connection.ts';
import {
  type Batch,
  Exchange,
  type ExchangeOptions,
} from '../../../../loader/transport/exchange.ts';

/** The words of what each exchange was told, in order: 'headers 200', 'data 3', 'end', 'restart', a code. */
const words = new WeakMap<Exchange, string[]>();

export function told(exchange: Exchange): string[] {
  return words.get(exchange) ?? [];
}

export function recordedExchange(path: string, options: Partial<ExchangeOptions> = {}): Exchange {
  const notes: string[] = [];
  const url = new URL(path, 'http://a.test/');
  const exchange = new Exchange(
    url,
    [],
    { urgent: false, priority: 0, ...options },
    {
      onInterim: (status) => void notes.push(`interim ${status}`),
      onHeaders: ({ status }) => void notes.push(`headers ${status}`),
      onData: ({ length }) => void notes.push(`data ${length}`),
      onEnd: () => void notes.push('end'),
      onRestart: () => void notes.push('restart'),
      onError: ({ code }) => void notes.push(code),
    },
  );
  words.set(exchange, notes);
  return exchange;
}

/** These left in one write, as the first requests of a connection. */
export function written(...exchanges: Exchange[]): Exchange[] {
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
