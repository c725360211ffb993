// The timeouts of one response. undici's are idle timeouts, which a server evades by sending a byte or a 1xx now and
// then. These start when the response is first in line on its connection, so that a small image is not blamed for a
// large page before it, and end with the last byte. HTTP/2 streams share the connection, so their timeouts run only
// while nothing arrives on it. Times are monotonic, because Node's timers do not follow the wall clock.

import { LoaderError } from '../../errors.ts';
import type { TransportTimeouts } from '../transport-options.ts';

export class ResponseClock {
  readonly #timeouts: TransportTimeouts;
  readonly #expire: (error: LoaderError) => void;
  #response: NodeJS.Timeout | null = null;
  #resource: NodeJS.Timeout | null = null;
  #rate: NodeJS.Timeout | null = null;
  #bytesInWindow = 0;
  #held = false;
  #isKept = true;
  #heldInWindow = false;
  readonly #lastProgressAt: (() => number) | null;

  /**
   * @param lastProgressAt For responses that share a connection: when it last delivered data of another stream, ms
   * (performance.now); null: the connection is not shared.
   * @param expire Called once, with `response-timeout`, `resource-timeout` or `too-slow`.
   */
  constructor(
    timeouts: TransportTimeouts,
    lastProgressAt: (() => number) | null,
    expire: (error: LoaderError) => void,
  ) {
    this.#timeouts = timeouts;
    this.#lastProgressAt = lastProgressAt;
    this.#expire = expire;
  }

  /** Called when the response is first in line. `responseMs` may be shorter if the pipeline has stalled. */
  start(responseMs: number = this.#timeouts.responseMs): void {
    if (this.#response !== null || this.#resource !== null) return;
    this.#awaitResponse(responseMs, responseMs);
    if (this.#lastProgressAt === null) this.#bound();
  }

  #awaitResponse(responseMs: number, waitMs: number): void {
    this.#response = setTimeout(() => {
      const quietMs = this.#quietMs();
      if (quietMs < responseMs) this.#awaitResponse(responseMs, responseMs - quietMs);
      else this.#end('response-timeout', `no response within ${responseMs} ms`);
    }, waitMs);
  }

  #bound(waitMs = this.#timeouts.resourceMs): void {
    const { resourceMs, minRateWindowMs } = this.#timeouts;
    this.#resource ??= setTimeout(() => {
      this.#resource = null;
      if (this.#quietMs() < minRateWindowMs) this.#bound(minRateWindowMs);
      else this.#end('resource-timeout', `not complete after ${resourceMs} ms`);
    }, waitMs);
    if (!this.#isKept) this.#resource.unref();
  }

  /** Time since the connection last delivered data of another stream, ms; infinite if it is not shared. */
  #quietMs(): number {
    return performance.now() - (this.#lastProgressAt?.() ?? Number.NEGATIVE_INFINITY);
  }

  /** Called when the final header section has arrived; from then on the rate of the body is checked. */
  responded(): void {
    if (this.#response !== null) clearTimeout(this.#response);
    this.#response = null;
    this.#bound();
    const { minRateBytes, minRateWindowMs } = this.#timeouts;
    if (minRateBytes === null || this.#rate !== null) return;
    this.#bytesInWindow = 0;
    this.#rate = setInterval(() => {
      const tooFew = this.#bytesInWindow < minRateBytes && !this.#heldInWindow;
      if (tooFew && this.#quietMs() >= minRateWindowMs) {
        const got = `${this.#bytesInWindow} bytes in ${minRateWindowMs} ms`;
        this.#end('too-slow', `${got}, at least ${minRateBytes} expected`);
      }
      this.#bytesInWindow = 0;
      this.#heldInWindow = this.#held;
    }, minRateWindowMs);
  }

  progress(bytes: number): void {
    this.#bytesInWindow += bytes;
  }

  /** @param isKept Whether the timers keep the process running; by default they do. */
  keep(isKept: boolean): void {
    this.#isKept = isKept;
    for (const timer of [this.#response, this.#resource, this.#rate]) {
      if (isKept) timer?.ref();
      else timer?.unref();
    }
  }

  /** Called while the reader is busy; an interval in which it paused does not count against the server. */
  hold(): void {
    this.#held = this.#heldInWindow = true;
  }

  release(): void {
    this.#held = false;
  }

  stop(): void {
    if (this.#response !== null) clearTimeout(this.#response);
    if (this.#resource !== null) clearTimeout(this.#resource);
    if (this.#rate !== null) clearInterval(this.#rate);
    this.#response = this.#resource = this.#rate = null;
  }

  #end(code: 'response-timeout' | 'resource-timeout' | 'too-slow', message: string): void {
    this.stop();
    this.#expire(new LoaderError(code, message));
  }
}
