// The clock of one response. undici's own timeouts are idle timeouts: a server that sends one byte
// now and then, or 1xx for ever, never meets them. This one counts from the moment the response is
// first in line on its connection, so that a small image behind a large page is not blamed for the
// page; it ends at the last byte. Streams of HTTP/2 share the line instead of waiting in it: theirs
// counts while nothing at all comes on the connection. Monotonic: timers of Node do not follow the wall clock.

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
  #heldInWindow = false;
  readonly #lastProgressAt: (() => number) | null;

  /**
   * @param lastProgressAt when the connection last brought something for others, ms
   * (performance.now), for responses that share it; null for those that have it to themselves.
   * @param expire called once, with `response-timeout`, `resource-timeout` or `too-slow`.
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

  /** The response is first in line. `responseMs` may be shortened for a pipeline that stalls. */
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
  }

  /** How long the connection has brought nothing for others; for ever where there are none. */
  #quietMs(): number {
    return performance.now() - (this.#lastProgressAt?.() ?? Number.NEGATIVE_INFINITY);
  }

  /** The final response's header section is there; the body is watched for its rate. */
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

  /** Its reader takes no more for now: a stretch in which it did not says nothing about the server. */
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
