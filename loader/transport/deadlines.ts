// The clock of one response. undici's own timeouts are idle timeouts: a server that sends one byte
// now and then, or 1xx for ever, never meets them. This one counts from the moment the response is
// first in line on its connection, so that a small image behind a large page is not blamed for the
// page; it ends at the last byte. Monotonic: timers of Node do not follow the wall clock.

import { LoaderError } from '../errors.ts';
import type { TimeoutOptions } from '../options.ts';

export class ResponseClock {
  readonly #timeouts: TimeoutOptions;
  readonly #expire: (error: LoaderError) => void;
  #response: NodeJS.Timeout | null = null;
  #resource: NodeJS.Timeout | null = null;
  #rate: NodeJS.Timeout | null = null;
  #bytesInWindow = 0;

  /** @param expire called once, with `response-timeout`, `resource-timeout` or `too-slow`. */
  constructor(timeouts: TimeoutOptions, expire: (error: LoaderError) => void) {
    this.#timeouts = timeouts;
    this.#expire = expire;
  }

  /** The response is first in line. `responseMs` may be shortened for a pipeline that stalls. */
  start(responseMs: number = this.#timeouts.responseMs): void {
    if (this.#resource !== null) return;
    const { resourceMs } = this.#timeouts;
    this.#resource = setTimeout(
      () => this.#end('resource-timeout', `not complete after ${resourceMs} ms`),
      resourceMs,
    );
    this.#response = setTimeout(
      () => this.#end('response-timeout', `no response within ${responseMs} ms`),
      responseMs,
    );
  }

  /** The final response's header section is there; the body is watched for its rate. */
  responded(): void {
    if (this.#response !== null) clearTimeout(this.#response);
    this.#response = null;
    const { minRateBytes, minRateWindowMs } = this.#timeouts;
    if (minRateBytes === null || this.#rate !== null) return;
    this.#bytesInWindow = 0;
    this.#rate = setInterval(() => {
      if (this.#bytesInWindow < minRateBytes) {
        const got = `${this.#bytesInWindow} bytes in ${minRateWindowMs} ms`;
        this.#end('too-slow', `${got}, at least ${minRateBytes} expected`);
      }
      this.#bytesInWindow = 0;
    }, minRateWindowMs);
  }

  progress(bytes: number): void {
    this.#bytesInWindow += bytes;
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
