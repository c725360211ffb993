// The option `trial` lets a person who tries a site alone, on the same machine, see hints after one visit. Usually
// several visitors are needed, to protect them from each other; so requests from other machines are neither learned nor
// hinted, unless the option is `everywhere`.

import { visitorAddress } from '../../http/visitor-address.ts';
import type { Logger } from '../../options/logger.ts';

/** true: one person tries the site on this machine; `everywhere`: all visitors get hints, too; false: no trial. */
export type TrialMode = boolean | 'everywhere';

/**
 * Options and constants of a trial: one visitor is enough, unless the option `minClients` is given; a visitor need not
 * fetch objects, and repeated visits count. A page that was opened in one of two visits is prefetched at once: if the
 * prefetch began only when the pointer rests on the link, the visitor would not notice it.
 */
export const trialOptions = { minClients: 1 };
export const trialConstants = { requireObjects: false, maxRepeatsPerDay: 255, immediateFrom: 0.2 };

const loopback = /^(?:127(?:\.\d+){3}|::1)$/;

export class Trial {
  readonly #isEverywhere: boolean;
  readonly #log: Logger;
  #hasRefused = false;

  constructor(mode: TrialMode, log: Logger) {
    this.#isEverywhere = mode === 'everywhere';
    this.#log = log;
    const who = this.#isEverywhere
      ? 'for visitors everywhere'
      : 'for visitors on this machine alone';
    const message = `this is a trial: what one visitor does is hinted at once, ${who}`;
    log.warn({}, message);
  }

  /** Returns whether the client is unknown or on another machine, so that it gets no hints and is not learned from.
   *  @param client address, then user agent; absent: unknown */
  refuses(client: string | undefined): boolean {
    if (this.#isEverywhere || loopback.test(addressOf(client ?? ''))) return false;
    if (!this.#hasRefused) {
      this.#hasRefused = true;
      const message =
        "the trial is for this machine alone: a request from elsewhere, or of an unknown client, is neither learned nor hinted (trial: 'everywhere', or --trial everywhere, admits all)";
      this.#log.warn({}, message);
    }
    return true;
  }
}

/** Returns the address of a client; an IPv6 address that embeds an IPv4 address counts as that IPv4 address. */
function addressOf(client: string): string {
  const [first = ''] = client.split(' ', 1);
  return first === '::1' ? first : visitorAddress(first);
}
