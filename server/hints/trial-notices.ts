// What whoever tries hints alone would not find out: why a page has none, and why a browser that got some fetches
// nothing. Each is told once.

import type { HeaderFields } from '../../prefetchd/rules/eligibility.ts';
import type { Unhinted } from './visit.ts';

/** Nothing is wrong, or nothing was known yet. */
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

  /** A page had no hints. */
  unhinted(why: Unhinted): void {
    if (usual.has(why)) return;
    const more =
      why === 'bot' ? '; headless browsers and curl count as bots by their User-Agent' : '';
    this.#tell(`a page has no hints, by its request or response: ${why}${more}`);
  }

  /** A page was asked for. */
  asked(headers: HeaderFields): void {
    const isChromium = /\bChrome\//.test(String(headers['user-agent'] ?? ''));
    if (!isChromium || headers['sec-fetch-mode'] !== undefined) return;
    this.#tell(
      'Chromium prefetches by speculation rules over HTTPS and on localhost only, and this page came over HTTP',
    );
  }
}
