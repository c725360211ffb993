// The timeouts of one response. undici's are idle timeouts, which a server evades by sending a byte or a 1xx now and
// then. These start when the response is first in line on its connection, so that a small image is not blamed for a
// large page before it, and end with the last byte. HTTP/2 streams share the connection, so their timeouts run only
// while nothing arrives on it. Times are monotonic, because Node's timers do not follow the wall clock.

import { LoaderError } from '../../errors.ts';
import type { TransportTimeouts } from '../transport-options.ts';

export class ResponseClock {
  readonly #timeouts: TransportTimeouts;
  readonly #lastProgressAt: (() => number) | null;
  readonly #expire: (error: LoaderError) => void;
  readonly #timers = new Map<'response' | 'resource' | 'rate', NodeJS.Timeout>();
  #isKept = true;
  #bytesInWindow = 0;
  /** Whether the body's handler is busy with a chunk now (`#isHeld`), or was in this interval of the rate check. */
  #isHeld = false;
  #wasHeld = false;

  /**
   * @param lastProgressAt Returns when the connection last delivered data of another stream, ms (performance.now);
   * null: the connection is not shared.
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

  /** Starts the timeouts when the response is first in line. `responseMs` is shorter if the pipeline may be stalled. */
  start(responseMs: number = this.#timeouts.responseMs): void {
    if (this.#timers.size > 0) return;
    this.#limit('response', responseMs, responseMs, `no response within ${responseMs} ms`);
    if (this.#lastProgressAt === null) this.#bound();
  }

  /** Ends the wait for the final header section, which has arrived; from now on the rate of the body is checked. */
  responded(): void {
    this.#clear('response');
    this.#bound();
    const { minRateBytes, minRateWindowMs } = this.#timeouts;
    if (minRateBytes === null || this.#timers.has('rate')) return;
    this.#bytesInWindow = 0;
    const check = (): void => {
      const tooFew = this.#bytesInWindow < minRateBytes && !this.#wasHeld;
      if (tooFew && this.#quietMs() >= minRateWindowMs) {
        const got = `${this.#bytesInWindow} bytes in ${minRateWindowMs} ms`;
        this.#timeOut('too-slow', `${got}, at least ${minRateBytes} expected`);
      }
      this.#bytesInWindow = 0;
      this.#wasHeld = this.#isHeld;
    };
    this.#timers.set('rate', setInterval(check, minRateWindowMs));
  }

  #bound(): void {
    const { resourceMs, minRateWindowMs } = this.#timeouts;
    if (this.#timers.has('resource')) return;
    this.#limit('resource', resourceMs, minRateWindowMs, `not complete after ${resourceMs} ms`);
  }

  /** Times the response out after `waitMs`, but not before other streams of the connection were quiet for `quietMs`. */
  #limit(what: 'response' | 'resource', waitMs: number, quietMs: number, message: string): void {
    const timer = setTimeout(() => {
      const leftMs = quietMs - this.#quietMs();
      if (leftMs > 0) this.#limit(what, leftMs, quietMs, message);
      else this.#timeOut(`${what}-timeout`, message);
    }, waitMs);
    if (!this.#isKept) timer.unref();
    this.#timers.set(what, timer);
  }

  /** Returns the time since the connection last delivered data of another stream, ms; infinite if it is not shared. */
  #quietMs(): number {
    return performance.now() - (this.#lastProgressAt?.() ?? Number.NEGATIVE_INFINITY);
  }

  progress(bytes: number): void {
    this.#bytesInWindow += bytes;
  }

  /** Sets whether the timers of these timeouts keep the process running; by default they do. */
  keep(isKept: boolean): void {
    this.#isKept = isKept;
    for (const timer of this.#timers.values()) {
      if (isKept) timer.ref();
      else timer.unref();
    }
  }

  /** Records that the handler is busy: an interval of the rate check with a busy handler does not count. */
  hold(): void {
    this.#isHeld = this.#wasHeld = true;
  }

  release(): void {
    this.#isHeld = false;
  }

  stop(): void {
    for (const what of [...this.#timers.keys()]) this.#clear(what);
  }

  #clear(what: 'response' | 'resource' | 'rate'): void {
    clearTimeout(this.#timers.get(what));
    this.#timers.delete(what);
  }

  #timeOut(code: 'response-timeout' | 'resource-timeout' | 'too-slow', message: string): void {
    this.stop();
    this.#expire(new LoaderError(code, message));
  }
}
