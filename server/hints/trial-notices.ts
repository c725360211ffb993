// Tells a person who tries hints alone what would be hard to find out: why a page has no hints, and why a browser that
// got hints fetches nothing. Each notice is given once.

import type { HeaderFields } from '../../prefetchd/rules/eligibility.ts';
import type { Unhinted } from './visit.ts';

/** Reasons that need no notice: nothing is wrong, or nothing is known yet. */
const usual: ReadonlySet<Unhinted> = new Set([
  'nothing known',
  'not a page',
  'not-page',
  'prefetch',
]);

export class TrialNotices {
  readonly #tell: (message: string) => void;

  /** @param tell Tells each message once. */
  constructor(tell: (message: string) => void) {
    this.#tell = tell;
  }

  /** Called for a page without hints. */
  unhinted(why: Unhinted): void {
    if (usual.has(why)) return;
    const more =
      why === 'bot' ? '; headless browsers and curl count as bots by their User-Agent' : '';
    this.#tell(`a page has no hints, by its request or response: ${why}${more}`);
  }

  /** Called for each requested page. */
  requested(headers: HeaderFields): void {
    const isChromium = /\bChrome\//.test(String(headers['user-agent'] ?? ''));
    if (!isChromium || headers['sec-fetch-mode'] !== undefined) return;
    this.#tell(
      'Chromium prefetches by speculation rules over HTTPS and on localhost only, and this page came over HTTP',
    );
  }
}
