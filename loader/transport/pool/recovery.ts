// What becomes of requests whose connection ended under them, and of answers that may be another's. The head of
// a broken pipeline goes again once, alone (RFC 9112 9.3.2: not pipelined), the others with those that wait; an
// answer in doubt is fetched again, alone on a connection of its own, where order cannot err (or one that can speak
// for it is, doubts.ts). What may not go again fails. Knows no connections: what ended comes in, and what goes again joins those that wait.

import { LoaderError } from '../../errors.ts';
import type { Connection } from '../connection/connection.ts';
import type { ConnectionEnd } from '../connection/connection-events.ts';
import type { Exchange } from '../exchange.ts';
import { type Doubt, Doubts } from './doubts.ts';
import type { RequestBudget } from './request-budget.ts';
import type { WaitingRequests } from './waiting-requests.ts';

/** A server that goes away and comes back serves some requests each time; one that never does is not asked for ever. */
const mostRefusals = 10;

/** One more for a pipeline that fell silent: that was not its fault. */
const mostTries = 2;

export class Recovery {
  readonly #waiting: WaitingRequests;
  readonly #budget: RequestBudget;
  #closed = false;
  #stopped: LoaderError | null = null;
  /** Of connections that ended short, as the server had said they would: looked at when all else is done. */
  #announced: Doubt[] = [];
  readonly #doubts = new Doubts((exchange, error) => this.#verify(exchange, error));

  constructor(waiting: WaitingRequests, budget: RequestBudget) {
    this.#waiting = waiting;
    this.#budget = budget;
  }

  /** From now on nothing goes again. */
  close(): void {
    this.#closed = true;
  }

  /** From now on nothing goes again, and what is in doubt fails. */
  stop(error: LoaderError): void {
    this.#closed = true;
    this.#stopped = error;
    const doubts = [...this.#announced.splice(0), ...this.#doubts.drop()];
    for (const { suspects } of doubts) this.#giveUp(suspects, error);
  }

  /** Answers that are neither believed nor being fetched again yet. */
  get doubts(): number {
    const announced = this.#announced.reduce((sum, { suspects }) => sum + suspects.length, 0);
    return announced + this.#doubts.size;
  }

  /** Something was answered, or failed: it may have been a witness. */
  review(): void {
    this.#doubts.review();
  }

  /** A connection that had been open ended. */
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

  /** One exchange failed, and its connection goes on. */
  streamFailed(exchange: Exchange, error: LoaderError): void {
    if (exchange.attempt.refused) this.#refused(exchange, error);
    else {
      const mayHelp = error.code === 'connection-lost';
      this.#retryOrFail(exchange, error, { mayHelp, alone: false, most: mostTries });
    }
  }

  /**
   * Everything else is done: of what ended as announced some is fetched again, to speak for the others.
   * @returns whether there was any.
   */
  resolveDoubts(): boolean {
    let isAsked = this.#doubts.review();
    let cost = 0;
    for (const doubt of this.#announced.splice(0)) {
      // A server that says which response is its last is believed when there is no budget to check; nothing is stored.
      if (!this.#budget.covers(cost + Doubts.cost(doubt))) continue;
      cost += Doubts.cost(doubt);
      this.#doubts.check(doubt);
      isAsked = true;
    }
    return isAsked;
  }

  /** Of those that wait, what may not be sent again fails now. */
  failSpent(): void {
    for (const exchange of this.#budget.beyond(this.#waiting)) {
      this.#waiting.remove(exchange);
      exchange.fail(exchange.failure as LoaderError);
    }
  }

  /**
   * Streams have no order: the one to blame fails, each other is asked once more. Who is to blame is not always
   * known (node:http2 ends the session over one body of another length than was said): those that had begun go
   * alone, so that none of them takes the others along again.
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

  /** Nothing was done for it: again, whatever its method (RFC 9113 8.7), at no cost but to patience. */
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
    // (On HTTP/1.1 whoever is given up from inside is the head.)
    if (head.cancelled) head.fail(error);
    else if (byUs && end.culprit !== head) this.#again(head, lostWithOthers, error);
    else if (announced && head.attempt.head === null) this.#again(head, error);
    else {
      const most = stalled ? mostTries + 1 : mostTries;
      this.#retryOrFail(head, error, { mayHelp, alone: true, most });
    }
    for (const exchange of others) this.#again(exchange, byUs ? lostWithOthers : error, error);
  }

  /** Once more, where that can help. @param retry how: `alone` on a connection of its own; `most` tries in all. */
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
   * It was only in the way: again, while the budget lasts.
   * @param failure what it fails with when it does not; null: it was never sent, and costs nothing.
   * @param end why its connection ended: what it fails with when it was given up.
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

  /** They may be another's, and there is no time to know. */
  #giveUp(suspects: Exchange[], error: LoaderError): void {
    for (const exchange of suspects) {
      exchange.handler.onRestart();
      exchange.fail(inDoubt(error));
    }
  }

  /** Its body may be another's: fetch it again where no mistake is possible. */
  #verify(exchange: Exchange, error: LoaderError): void {
    if (!exchange.isIdempotent) return; // what was done must not be done twice
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
  'the server answers more or fewer requests than it was asked',
);

function inDoubt({ code, message }: LoaderError): LoaderError {
  const doubt = 'what came for it could not be told from the answers beside it';
  return new LoaderError(code, `${message}; ${doubt}`);
}

const lostWithOthers = new LoaderError(
  'connection-lost',
  'its connection ended because of another request on it',
);

/** What a second try can change: the connection's fault, not the resource's. */
function isRetryable(error: LoaderError): boolean {
  return (
    error.code === 'connection-lost' ||
    error.code === 'length-mismatch' ||
    error.code === 'malformed-response' ||
    error.code === 'out-of-step' ||
    error.code === 'response-timeout'
  );
}
