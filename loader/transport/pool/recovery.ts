// Handles requests whose connection ended, and responses that may belong to another request. The head of a broken
// pipeline is resent once, alone (RFC 9112 9.3.2: not pipelined), the others with those that wait. A response in
// doubt is fetched again, alone on a separate connection where order cannot fail, or a witness for it is
// (doubts.ts). Requests that may not be resent fail. This file knows no connections: ended ones are passed in, and
// requests to resend join the queue.

import { LoaderError } from '../../errors.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConnectionEnd } from '../connection/connection-events.ts';
import type { Exchange } from '../exchange.ts';
import { type Doubt, Doubts } from './doubts.ts';
import type { RequestBudget } from './request-budget.ts';
import type { WaitingRequests } from './waiting-requests.ts';

/**
 * A server that goes away and comes back processes some requests each time; this limit is for one that never does.
 */
const mostRefusals = 10;

/** Transmissions per request; the head of a silent pipeline gets one more, because it is not at fault. */
const mostTries = 2;

export class Recovery {
  readonly #waiting: WaitingRequests;
  readonly #budget: RequestBudget;
  #closed = false;
  #stopped: LoaderError | null = null;
  /** Suspects of connections whose early end was announced: checked when everything else is done. */
  #announced: Doubt[] = [];
  readonly #doubts = new Doubts((exchange, error) => this.#verify(exchange, error));

  constructor(waiting: WaitingRequests, budget: RequestBudget) {
    this.#waiting = waiting;
    this.#budget = budget;
  }

  /** From now on nothing is resent. */
  close(): void {
    this.#closed = true;
  }

  /** From now on nothing is resent, and responses in doubt fail. */
  stop(error: LoaderError): void {
    this.#closed = true;
    this.#stopped = error;
    const doubts = [...this.#announced.splice(0), ...this.#doubts.drop()];
    for (const { suspects } of doubts) this.#giveUp(suspects, error);
  }

  /** Number of responses that are neither accepted nor being fetched again. */
  get doubts(): number {
    const announced = this.#announced.reduce((sum, { suspects }) => sum + suspects.length, 0);
    return announced + this.#doubts.size;
  }

  /** Called after each response or failure, which may have been a witness. */
  review(): void {
    this.#doubts.review();
  }

  /** An open connection has ended. */
  ended(connection: Pick<Connection, 'httpVersion' | 'served'>, end: ConnectionEnd): void {
    const asked = end.lost.filter(({ attempt }) => attempt.batch !== null);
    const unasked = end.lost.filter(({ attempt }) => attempt.batch === null);
    this.#budget.unsend(unasked.length);
    if (connection.httpVersion === 'h2') this.#streamsLost(asked, end);
    else this.#pipelineLost(asked, end);
    for (const exchange of unasked) this.#again(exchange, exchange.failure);
    this.#suspect(end);
  }

  #suspect({ suspects, error, announced, surplus }: ConnectionEnd): void {
    if (this.#stopped !== null) this.#giveUp(suspects, this.#stopped);
    if (this.#closed || suspects.length === 0) return;
    const doubt = { suspects, error };
    if (surplus) for (const exchange of suspects) this.#verify(exchange, error);
    else if (announced) this.#announced.push(doubt);
    else this.#doubts.check(doubt);
  }

  /** One exchange failed; its connection continues. */
  streamFailed(exchange: Exchange, error: LoaderError): void {
    if (exchange.attempt.refused) this.#refused(exchange, error);
    else {
      const mayHelp = error.code === 'connection-lost';
      this.#retryOrFail(exchange, error, { mayHelp, alone: false, most: mostTries });
    }
  }

  /**
   * Called when everything else is done: fetches some responses of announced ends again, to verify the others.
   * @returns Whether there were any.
   */
  resolveDoubts(): boolean {
    let isAsked = this.#doubts.review();
    let cost = 0;
    for (const doubt of this.#announced.splice(0)) {
      // Without budget for a check, a server that announced its last response is trusted; nothing is stored.
      if (!this.#budget.covers(cost + Doubts.cost(doubt))) continue;
      cost += Doubts.cost(doubt);
      this.#doubts.check(doubt);
      isAsked = true;
    }
    return isAsked;
  }

  /** Fails those waiting requests that may not be resent. */
  failSpent(): void {
    for (const exchange of this.#budget.beyond(this.#waiting)) {
      this.#waiting.remove(exchange);
      exchange.fail(exchange.failure as LoaderError);
    }
  }

  /**
   * Streams have no order: the culprit fails, the others are resent once. The culprit is not always known
   * (node:http2 ends the session over one body of a wrong length), so requests whose response had begun are resent
   * alone, to protect the others from it.
   */
  #streamsLost(asked: Exchange[], { error, culprit }: ConnectionEnd): void {
    for (const exchange of asked) {
      if (exchange.attempt.refused) {
        this.#refused(exchange, error);
        continue;
      }
      const reason = exchange === culprit || culprit === null ? error : lostWithOthers;
      const mayHelp = exchange !== culprit || isRetryable(error);
      const isBegun = exchange.attempt.head !== null;
      this.#retryOrFail(exchange, reason, { mayHelp, alone: isBegun, most: mostTries });
    }
  }

  /** The server did not process it: resent whatever its method (RFC 9113 8.7), without using the budget. */
  #refused(exchange: Exchange, error: LoaderError): void {
    this.#budget.unsend(1);
    if (exchange.refusals > mostRefusals) exchange.fail(error);
    else this.#again(exchange, error);
  }

  #pipelineLost(asked: Exchange[], end: ConnectionEnd): void {
    const [head, ...others] = asked;
    if (head === undefined) return;
    const { error, byUs, announced, suspects, stalled } = end;
    const mayHelp =
      stalled ||
      others.length > 0 ||
      suspects.length > 0 ||
      ((head.attempt.pipelineIndex ?? 0) > 0 && error.code !== 'response-timeout');
    // On HTTP/1.1 only the head is aborted by us.
    if (head.cancelled) head.fail(error);
    else if (byUs && end.culprit !== head) this.#again(head, lostWithOthers, error);
    else if (announced && head.attempt.head === null) this.#again(head, error);
    else {
      const most = stalled ? mostTries + 1 : mostTries;
      this.#retryOrFail(head, error, { mayHelp, alone: true, most });
    }
    for (const exchange of others) this.#again(exchange, byUs ? lostWithOthers : error, error);
  }

  /** Resends it if that can help. @param retry `alone`: on a separate connection; `most`: total number of tries. */
  #retryOrFail(
    exchange: Exchange,
    error: LoaderError,
    { mayHelp, alone, most }: { mayHelp: boolean; alone: boolean; most: number },
  ): void {
    const mayTry = exchange.attempts - exchange.refusals < most && !exchange.cancelled;
    if (mayHelp && isRetryable(error) && mayTry) {
      exchange.alone = alone;
      this.#again(exchange, error);
    } else {
      exchange.fail(error);
    }
  }

  /**
   * Resends an innocent request while the budget lasts.
   * @param failure Its error if the budget is spent; null: it was never sent, so it costs nothing.
   * @param end Why its connection ended: its error if it was cancelled.
   */
  #again(exchange: Exchange, failure: LoaderError | null, end = failure): void {
    const done =
      exchange.attempt.batch !== null && !exchange.isIdempotent && !exchange.attempt.refused;
    if (this.#closed || exchange.cancelled || done) {
      exchange.fail(end ?? new LoaderError('loader-closed', 'the loader was closed'));
      return;
    }
    exchange.failure = failure;
    if (exchange.attempt.head !== null) exchange.handler.onRestart();
    exchange.rewind();
    this.#waiting.add(exchange);
  }

  /** These responses may belong to other requests, and there is no time to check. */
  #giveUp(suspects: Exchange[], error: LoaderError): void {
    for (const exchange of suspects) {
      exchange.handler.onRestart();
      exchange.fail(inDoubt(error));
    }
  }

  /** The body may belong to another request: fetch it again where it cannot be confused. */
  #verify(exchange: Exchange, error: LoaderError): void {
    if (!exchange.isIdempotent) return; // a non-idempotent request must not be repeated
    exchange.handler.onRestart();
    exchange.failure = outOfStep;
    if (exchange.cancelled) {
      exchange.fail(inDoubt(error));
    } else if (exchange.verified) {
      exchange.fail(exchange.failure);
    } else {
      exchange.verified = true;
      exchange.rewind();
      exchange.alone = true;
      this.#waiting.add(exchange);
    }
  }
}

const outOfStep = new LoaderError(
  'out-of-step',
  'the server sent more or fewer responses than requested',
);

function inDoubt({ code, message }: LoaderError): LoaderError {
  const doubt = 'its response could not be distinguished from those of other requests';
  return new LoaderError(code, `${message}; ${doubt}`);
}

const lostWithOthers = new LoaderError(
  'connection-lost',
  'its connection ended because of another request on it',
);

/** Faults of the connection rather than the resource, which a retry may avoid. */
function isRetryable(error: LoaderError): boolean {
  return (
    error.code === 'connection-lost' ||
    error.code === 'length-mismatch' ||
    error.code === 'malformed-response' ||
    error.code === 'out-of-step' ||
    error.code === 'response-timeout'
  );
}
