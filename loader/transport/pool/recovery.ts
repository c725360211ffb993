// Handles requests whose connection ended, and responses that may belong to another request. Only the head of a broken
// pipeline is blamed, as its response was the next one due: it is resent alone (RFC 9112 9.3.2: not pipelined), and
// fails if that connection breaks too. The others return to the queue, as often as needed: each break costs a head
// one of its two chances or, in pipelines, a part of the depth (server-profile.ts). This file manages no connections:
// ended ones are passed in, and requests to resend join the queue.
//
// A response in doubt is fetched again alone on a separate connection, where order cannot fail. If a pipeline ended
// before all were answered, without surplus bytes, each response may belong to the next request: one response too many
// or too few shifts all later ones. A late response that differs from all others is therefore a witness: it is fetched
// again, and if it is unchanged, nothing was shifted before it. The responses after the witness are fetched again as
// well. It must differ from all others, because equal responses cannot be told apart.

import { fieldValue } from '../../../http/header-pairs.ts';
import { LoaderError } from '../../errors.ts';
import type { Connection, ConnectionEnd } from '../connection/connection.ts';
import type { Exchange } from '../exchange.ts';

/**
 * Limit on refusals of one request. A server that is restarting accepts some requests each time; another may refuse a
 * request forever.
 */
const mostRefusals = 10;

/** Number of connections that a request may break before it fails. */
const mostBreaks = 2;

/** Responses that may answer other requests; accepted if a later one, the witness, is unchanged when refetched. */
interface Check {
  witness: Exchange;
  /** Status, length, checksum and ETag of the `witness` response as first received, before it was fetched again. */
  was: string;
  /** The responses that are accepted if the witness is unchanged: those received before it, in order of arrival. */
  suspects: Exchange[];
  /** Why the connection ended on which the responses arrived. */
  error: LoaderError;
}

export class Recovery {
  readonly #waiting: WaitingRequests;
  readonly #budget: RequestBudget;
  readonly #onDead: () => void;
  /** The server has answered a request before, so it may answer one that failed if that is sent again. */
  answers = false;
  #closed = false;
  #stopped: LoaderError | null = null;
  #checks: Check[] = [];

  /** @param onDead Called when a request fails for good, because it is taken for the cause of a broken connection. */
  constructor(waiting: WaitingRequests, budget: RequestBudget, onDead: () => void = () => {}) {
    this.#waiting = waiting;
    this.#budget = budget;
    this.#onDead = onDead;
  }

  /** Resends nothing from now on. */
  close(): void {
    this.#closed = true;
  }

  /** Resends nothing from now on, and fails the complete responses that may answer other requests. */
  stop(error: LoaderError): void {
    this.#closed = true;
    this.#stopped = error;
    for (const { suspects } of this.#checks.splice(0)) this.#giveUp(suspects, error);
  }

  /** Whether some responses may answer other requests and are neither accepted nor being fetched again yet. */
  get hasDoubts(): boolean {
    return this.#checks.length > 0;
  }

  /** Accepts responses that may answer other requests if a later one (the `witness`) was unchanged when refetched, else
   *  refetches them. Called after each response. */
  review(): void {
    const over = this.#checks.filter(({ witness }) => witness.done);
    this.#checks = this.#checks.filter((check) => !over.includes(check));
    for (const { witness, was, suspects, error } of over) {
      const isSame = witness.attempt.head !== null && printOf(witness) === was;
      for (const exchange of suspects) {
        if (isSame) exchange.attempt.inStep = true;
        else this.#verify(exchange, error);
      }
    }
  }

  /** Resends or fails the requests that a connection lost at its end, and checks responses that may answer others. */
  ended(connection: Pick<Connection, 'httpVersion' | 'served'>, end: ConnectionEnd): void {
    const asked = end.lost.filter(({ attempt }) => attempt.batch !== null);
    const unasked = end.lost.filter(({ attempt }) => attempt.batch === null);
    if (connection.httpVersion === 'h2') this.#streamsLost(asked, end);
    else this.#pipelineLost(asked, end);
    for (const exchange of unasked) this.#again(exchange, null);
    this.#suspect(end);
  }

  #suspect({ suspects, error, announced, surplus }: ConnectionEnd): void {
    if (this.#stopped !== null) this.#giveUp(suspects, this.#stopped);
    if (this.#closed || suspects.length === 0) return;
    // If the budget does not allow refetching all responses that may answer other requests, and the server announced
    // the end of the connection, these responses are used, but not stored.
    if (!surplus && announced && !this.#budget.covers(suspects.length)) return;
    const place = surplus ? 0 : witnessPlace(suspects);
    const asked = suspects.slice(place);
    const [witness] = asked;
    if (place > 0 && witness !== undefined) {
      const before = suspects.slice(0, place);
      this.#checks.push({ witness, was: printOf(witness), suspects: before, error });
    }
    for (const exchange of asked) this.#verify(exchange, error);
  }

  /** Resends or fails one exchange that failed while its connection continues. */
  streamFailed(exchange: Exchange, error: LoaderError): void {
    if (exchange.attempt.refused) this.#refused(exchange, error);
    else this.#blame(exchange, error, { mayHelp: error.code === 'connection-lost', alone: false });
  }

  /**
   * Resends the requests that a broken HTTP/2 connection lost; the one that broke it fails if it breaks another. It is
   * not always known which one it is (node:http2 ends the session over one body of a wrong length), so requests whose
   * response had begun are resent alone, to protect the others from them; and fewer are in flight each time, until the
   * culprit is the only one.
   */
  #streamsLost(asked: Exchange[], { error, culprit }: ConnectionEnd): void {
    for (const exchange of asked) {
      const mayBeIt = culprit === null && (exchange.attempt.head !== null || asked.length === 1);
      if (exchange.attempt.refused) this.#refused(exchange, error);
      else if (exchange === culprit || mayBeIt) {
        this.#blame(exchange, error, { mayHelp: true, alone: true });
      } else this.#waste(exchange, error);
    }
  }

  /** Resends a request that the server did not process (RFC 9113 8.7), whatever its method; no budget limits this. */
  #refused(exchange: Exchange, error: LoaderError): void {
    if (exchange.refusals > mostRefusals) exchange.fail(error);
    else this.#again(exchange, error);
  }

  #pipelineLost(asked: Exchange[], end: ConnectionEnd): void {
    const [head, ...others] = asked;
    if (head === undefined) return;
    const { error, byUs, announced, suspects, stalled } = end;
    const isReused = (head.attempt.pipelineIndex ?? 0) > 0;
    const mayHelp =
      stalled ||
      others.length > 0 ||
      suspects.length > 0 ||
      ((this.answers || isReused) && error.code !== 'response-timeout');
    // If this side closed the connection for another reason than this request, the request is not to blame.
    if (head.cancelled) head.fail(error);
    else if (byUs && end.culprit !== head) this.#waste(head, error);
    else if (announced && head.attempt.head === null) this.#waste(head, error);
    else this.#blame(head, error, { mayHelp, alone: true });
    for (const exchange of others) this.#waste(exchange, error);
  }

  /** Resends (`alone`: on its own connection), if that may help, or fails a request that is blamed for a failure. */
  #blame(
    exchange: Exchange,
    error: LoaderError,
    { mayHelp, alone }: { mayHelp: boolean; alone: boolean },
  ): void {
    exchange.breaks++;
    const mayTry = exchange.breaks < mostBreaks && mayHelp && isRetryable(error);
    const isTolerable = this.#waiting.isTolerable(exchange) && isTolerated(error);
    if ((mayTry || isTolerable) && !exchange.cancelled) {
      exchange.alone = alone || isTolerable;
      exchange.isTolerant ||= isTolerable;
      this.#again(exchange, error);
    } else {
      exchange.fail(error);
      this.#onDead();
    }
  }

  /** Resends a request that was lost because another one broke the connection, and counts it in the budget. */
  #waste(exchange: Exchange, error: LoaderError): void {
    this.#budget.waste(1);
    this.#again(exchange, error);
  }

  /** Queues the request again, or fails it if it may not be resent. @param end Why the connection ended. */
  #again(exchange: Exchange, end: LoaderError | null): void {
    const done =
      exchange.attempt.batch !== null && !exchange.isIdempotent && !exchange.attempt.refused;
    if (this.#closed || exchange.cancelled || done) {
      exchange.fail(end ?? new LoaderError('loader-closed', 'the loader was closed'));
      return;
    }
    if (exchange.attempt.head !== null) exchange.handler.onRestart();
    exchange.rewind(end?.code ?? 'connection-lost');
    this.#waiting.add(exchange);
  }

  /** Fails responses that may answer other requests, because the page is being stopped before they can be refetched. */
  #giveUp(suspects: Exchange[], error: LoaderError): void {
    for (const exchange of suspects) {
      exchange.handler.onRestart();
      exchange.fail(inDoubt(error));
    }
  }

  /**
   * Resends a request whose response may belong to another request. It is sent alone on a separate connection, where
   * responses cannot be mixed up. It fails if it was resent for this before, or if the budget is spent.
   */
  #verify(exchange: Exchange, error: LoaderError): void {
    if (!exchange.isIdempotent) return; // a non-idempotent request must not be repeated
    exchange.handler.onRestart();
    if (exchange.cancelled) {
      exchange.fail(inDoubt(error));
    } else if (exchange.verified || !this.#budget.covers(1)) {
      exchange.fail(outOfStep);
    } else {
      exchange.verified = true;
      this.#budget.waste(1);
      exchange.rewind('out-of-step');
      exchange.alone = true;
      this.#waiting.add(exchange);
    }
  }
}

/** Index of the last response that, if refetched unchanged, shows that earlier ones answer their requests; or 0. */
function witnessPlace(suspects: readonly Exchange[]): number {
  const prints = suspects.map(printOf);
  for (let place = suspects.length - 2; place > 1; place--) {
    const { cancelled, isIdempotent } = suspects[place] as Exchange;
    const print = prints[place] as string;
    const isAlone = prints.indexOf(print) === place && prints.lastIndexOf(print) === place;
    if (isAlone && isIdempotent && !cancelled) return place;
  }
  return 0;
}

function printOf({ attempt: { head, received, checksum } }: Exchange): string {
  const etag = fieldValue(head?.headers ?? [], 'etag');
  return `${head?.status} ${received} ${checksum} ${etag}`;
}

const outOfStep = new LoaderError(
  'out-of-step',
  'the server sent more or fewer responses than requested, or in another order',
);

function inDoubt({ code, message }: LoaderError): LoaderError {
  const doubt = 'its response could not be distinguished from those of other requests';
  return new LoaderError(code, `${message}; ${doubt}`);
}

/** Matches the messages of undici and its parser about faults of a response that strict-form.ts may correct. */
const tolerated =
  /content-length|expected (?:CR|LF) after|whitespace after header value|invalid header|in chunk size/i;

function isTolerated({ code, cause }: LoaderError): boolean {
  return code === 'malformed-response' && cause instanceof Error && tolerated.test(cause.message);
}

/** Whether a retry may succeed, because the error is one of the connection rather than the resource. */
function isRetryable(error: LoaderError): boolean {
  return (
    error.code === 'connection-lost' ||
    error.code === 'length-mismatch' ||
    error.code === 'malformed-response' ||
    error.code === 'out-of-step' ||
    error.code === 'response-timeout'
  );
}

/** Share of a page's requests that may be resent through no fault of theirs, before requests are sent one at a time. */
const mostWasted = 0.2;
/** How many of the resends that `mostWasted` allows are kept for responses that may answer another request. */
const checks = 3;
/** Share of a page's requests that may be sent again to check responses: all, as one too many shifts the rest. */
const mostChecked = 1;

/**
 * Limits what a server that breaks connections costs a page. Requests that are lost because of another one are sent
 * again, so after the first break no more are in flight than may still be lost: a fifth of the page's requests in
 * total, and after that one at a time. Any other request that is resent failed by itself, which is limited separately.
 */
export class RequestBudget {
  #asked = 0;
  #wasted = 0;

  /** Counts a request of the page. @returns The number of requests so far. */
  countRequest(): number {
    return ++this.#asked;
  }

  /** Counts requests that are sent again because another request broke the connection, or to check their responses. */
  waste(requests: number): void {
    this.#wasted += requests;
  }

  /** Whether so many more requests may be sent again to check their responses (`mostChecked`). */
  covers(requests: number): boolean {
    return this.#wasted + requests <= mostChecked * this.#asked;
  }

  /** Limit on requests in flight on a connection, so that its end loses no more than may be sent again. */
  get depth(): number {
    if (this.#wasted === 0) return Number.POSITIVE_INFINITY;
    return 1 + Math.max(0, Math.floor(mostWasted * this.#asked) - this.#wasted - checks);
  }
}

/**
 * Requests of one page to one origin that wait for a connection, to be sent for the first time or again: first those
 * that need a separate one, then the others by priority and order of arrival.
 */
export class WaitingRequests {
  /** Waiting requests that each need a connection of their own. */
  readonly lone: Exchange[] = [];
  /** Waiting requests that may share a connection with others. */
  readonly shared: Exchange[] = [];
  readonly #mayTolerate: boolean;
  #tolerates = false;

  /** @param mayTolerate Whether a malformed response may be requested again, to be read in spite of its faults. */
  constructor(mayTolerate = false) {
    this.#mayTolerate = mayTolerate;
  }

  /** Whether a request may be repeated to read its response in spite of faults that browsers tolerate. */
  isTolerable({ method, isTolerant }: Exchange): boolean {
    return this.#mayTolerate && !isTolerant && (method === 'GET' || method === 'HEAD');
  }

  /** Sends each GET and HEAD on its own connection from now on, as responses have faults that browsers tolerate. */
  tolerate(): void {
    if (this.#tolerates) return;
    this.#tolerates = true;
    for (const exchange of this.shared.splice(0)) this.add(exchange);
  }

  add(exchange: Exchange): void {
    if (this.#tolerates && this.isTolerable(exchange)) exchange.alone = exchange.isTolerant = true;
    if (exchange.alone) {
      this.lone.push(exchange);
      return;
    }
    const list = this.shared;
    let place = list.length;
    while (place > 0 && (list[place - 1] as Exchange).priority > exchange.priority) place--;
    list.splice(place, 0, exchange);
  }

  /** Removes a request from those that wait for a connection. @returns Whether it was among them. */
  remove(exchange: Exchange): boolean {
    const list = exchange.alone ? this.lone : this.shared;
    const place = list.indexOf(exchange);
    if (place !== -1) list.splice(place, 1);
    return place !== -1;
  }

  /** All waiting requests in the order in which they are to be sent. */
  get all(): Exchange[] {
    return [...this.lone, ...this.shared];
  }
}
